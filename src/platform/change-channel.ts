/** Change notifications on one PostgreSQL channel. */
export interface ChangeNotifications {
  /** Called with the payload, or with `null` if notifications may have been missed. */
  readonly onChange: (listener: (changed: string | null) => void) => void;
  /** While false, notifications may be missed, and nothing that depends on them may be cached. */
  readonly isOn: () => boolean;
}

/** Forwards notifications to any number of listeners. */
export class ChangeChannel implements ChangeNotifications {
  readonly #listeners: ((changed: string | null) => void)[] = [];
  readonly isOn: () => boolean;

  constructor(isOn: () => boolean) {
    this.isOn = isOn;
  }

  readonly onChange = (listener: (changed: string | null) => void): void => {
    this.#listeners.push(listener);
  };

  readonly onNotification = (changed: string | null): void => {
    for (const listener of this.#listeners) listener(changed);
  };

  readonly onGap = (): void => this.onNotification(null);
}
