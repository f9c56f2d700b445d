export interface Ports {
  readonly http: number;
  readonly https: number;
  readonly tcp: number;
  readonly dns: number;
}

/** By so much each phase of a slow request is delayed. */
export const delayMs = 12;
