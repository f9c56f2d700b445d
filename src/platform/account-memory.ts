import { BoundedMap } from "./bounded-map.ts";

const maxRemembered = 10_000;

/**
 * Caches one value per account. A change of the account invalidates the value: immediately on this
 * server, and through a notification on other servers. Nothing is cached while notifications may be
 * missed.
 */
export class AccountMemory<Remembered> {
  readonly #isListening: () => boolean;
  readonly #load: (accountId: string) => Promise<Remembered>;
  readonly #remembered = new BoundedMap<string, Remembered>(maxRemembered);
  /** Loads in progress, by account; concurrent callers share a load. */
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
    // Do not let later callers join the load, because it started before the change.
    this.#underWay.delete(accountId);
  }

  forgetAll(): void {
    this.#remembered.clear();
    this.#underWay.clear();
  }

  #read(accountId: string): Promise<Remembered> {
    const reading = this.#load(accountId).then(
      (found) => {
        if (this.#end(accountId, reading) && this.#isListening()) {
          this.#remembered.set(accountId, found);
        }
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

  /**
   * Ends a load. Returns false if the value was invalidated during the load and must not be cached.
   */
  #end(accountId: string, reading: Promise<Remembered>): boolean {
    return this.#underWay.get(accountId) === reading && this.#underWay.delete(accountId);
  }
}
