export interface Ports {
  readonly http: number;
  readonly https: number;
  readonly tcp: number;
  readonly dns: number;
}

/** Delay of each phase of a slow request. */
export const delayMs = 12;
