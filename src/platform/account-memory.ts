const maxRemembered = 10_000;

/**
 * Remembers something of each account. A change makes it forget: at once here, by notification on
 * other servers. While notifications may have been missed, nothing is remembered.
 */
export class AccountMemory<Remembered> {
  readonly #isListening: () => boolean;
  readonly #load: (accountId: string) => Promise<Remembered>;
  readonly #remembered = new Map<string, Remembered>();
  /** What is being read, for all who ask meanwhile. */
  readonly #underWay = new Map<string, Promise<Remembered>>();

  constructor(isListening: () => boolean, load: (accountId: string) => Promise<Remembered>) {
    this.#isListening = isListening;
    this.#load = load;
  }

  async find(accountId: string): Promise<Remembered> {
    const known = this.#isListening() ? this.#remembered.get(accountId) : undefined;
    return known ?? this.#underWay.get(accountId) ?? this.#read(accountId);
  }

  forget(accountId: string): void {
    this.#remembered.delete(accountId);
    // Whoever asks from now on must not get what was read before.
    this.#underWay.delete(accountId);
  }

  forgetAll(): void {
    this.#remembered.clear();
    this.#underWay.clear();
  }

  #read(accountId: string): Promise<Remembered> {
    const reading = this.#load(accountId).then(
      (found) => {
        if (this.#end(accountId, reading) && this.#isListening()) this.#remember(accountId, found);
        return found;
      },
      (error) => {
        this.#end(accountId, reading);
        throw error;
      },
    );
    this.#underWay.set(accountId, reading);
    return reading;
  }

  /** False: it changed meanwhile, and what was read serves those who asked before only. */
  #end(accountId: string, reading: Promise<Remembered>): boolean {
    return this.#underWay.get(accountId) === reading && this.#underWay.delete(accountId);
  }

  #remember(accountId: string, found: Remembered): void {
    this.#remembered.set(accountId, found);
    if (this.#remembered.size <= maxRemembered) return;
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined) this.#remembered.delete(oldest);
  }
}
