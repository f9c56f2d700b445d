import type { WebSocket } from "ws";
import type { LinkMeter } from "./link-limits.ts";

export interface FrameIntakeOptions {
  readonly socket: Pick<WebSocket, "pause" | "resume">;
  readonly meter: LinkMeter;
  readonly onFrame: (text: string) => void;
}

/**
 * Processes the frames of a link in order, no faster than the limits of its key allow. While a
 * frame waits, the socket is paused, so further data stays at the probe.
 */
export class FrameIntake {
  readonly #options: FrameIntakeOptions;
  readonly #waiting: string[] = [];
  #isBusy = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FrameIntakeOptions) {
    this.#options = options;
  }

  receive(text: string): void {
    this.#waiting.push(text);
    if (!this.#isBusy) void this.#process();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    clearTimeout(this.#timer);
  }

  /** Runs synchronously as long as no frame has to wait. */
  async #process(): Promise<void> {
    const { meter, onFrame } = this.#options;
    this.#isBusy = true;
    for (;;) {
      const text = this.#waiting.shift();
      if (text === undefined || this.#isClosed) break;
      const waitMs = meter.charge({ bytes: text.length, results: 0 });
      if (waitMs > 0 || !meter.hasCapacity) await this.#waitFor(waitMs);
      if (!this.#isClosed) onFrame(text);
    }
    this.#isBusy = false;
  }

  async #waitFor(waitMs: number): Promise<void> {
    const { socket, meter } = this.#options;
    socket.pause();
    await new Promise<void>((resume) => {
      this.#timer = setTimeout(resume, Math.ceil(waitMs));
    });
    await meter.waitForCapacity();
    meter.restartFrame();
    socket.resume();
  }
}
