/** Jobs that ping once a minute and retry like `curl --retry --retry-connrefused`. */
import { Agent, get } from "node:http";

export interface Pinged {
  /** Pings answered with 200, by token. */
  readonly answered: Map<string, number>;
  readonly retries: number;
  readonly givenUp: number;
  readonly answerMs: readonly number[];
}

const maxTries = 6;
const patienceMs = 10_000;
const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

function ping(url: string, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent, timeout: patienceMs }, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(answer.statusCode === 200));
      answer.once("error", () => resolve(false));
    });
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve(false));
  });
}

export class Clients {
  readonly answered = new Map<string, number>();
  readonly answerMs: number[] = [];
  retries = 0;
  givenUp = 0;
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #underWay = new Set<Promise<void>>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Pings each token once per interval, evenly spread, for the given time. */
  async run(tokens: readonly string[], durationMs: number, everyMs = 60_000): Promise<void> {
    const startedMs = performance.now();
    const gapMs = everyMs / tokens.length;
    const count = Math.floor(durationMs / gapMs);
    for (let sent = 0; sent < count; ) {
      const due = Math.min(count, Math.floor((performance.now() - startedMs) / gapMs) + 1);
      for (; sent < due; sent += 1) this.#send(tokens[sent % tokens.length] ?? "");
      await pause(2);
    }
    await Promise.all(this.#underWay);
  }

  #send(token: string): void {
    const sent = this.#pingUntilTaken(token);
    this.#underWay.add(sent);
    void sent.finally(() => this.#underWay.delete(sent));
  }

  async #pingUntilTaken(token: string): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const sentMs = performance.now();
      if (await ping(`${this.#url}/ping/${token}`, this.#agent)) {
        this.answered.set(token, (this.answered.get(token) ?? 0) + 1);
        this.answerMs.push(performance.now() - sentMs);
        return;
      }
      this.retries += 1;
      await pause(1_000 * 2 ** tries);
    }
    this.givenUp += 1;
  }

  close(): void {
    this.#agent.destroy();
  }
}
