import { BoundedMap } from "./bounded-map.ts";

const maxRemembered = 10_000;

/**
 * Caches one value per account. A change invalidates it: at once on this server, by notification on
 * the others. Nothing is cached while notifications may be missed.
 */
export class AccountMemory<Remembered> {
  readonly #isListening: () => boolean;
  readonly #load: (accountId: string) => Promise<Remembered>;
  readonly #remembered = new BoundedMap<string, Remembered>(maxRemembered);
  /** Loads in progress, shared by concurrent callers. */
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
    // Callers from now on must not receive a value that was loaded before the change.
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
   * Returns false if the account changed during the load: only the callers before the change may
   * use the value.
   */
  #end(accountId: string, reading: Promise<Remembered>): boolean {
    return this.#underWay.get(accountId) === reading && this.#underWay.delete(accountId);
  }
}
