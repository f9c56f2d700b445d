/** Changes that are announced on one notification channel of the database. */
export interface ChangeNotifications {
  /** Called with what changed, or with null when changes may have been missed. */
  readonly onChange: (listener: (changed: string | null) => void) => void;
  /** While this is false, changes may be missed, and nothing that depends on them may be cached. */
  readonly isOn: () => boolean;
}

/** Passes notifications on to any number of listeners. */
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
