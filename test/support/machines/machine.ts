/** One process of the fleet, which can be killed, stopped in its tracks, and started again. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";

export interface MachineCommand {
  readonly name: string;
  readonly file: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Where what it writes is kept, for those who look at a failure. */
  readonly logFile: string;
}

/** How long a polite stop may take; then it is killed, and that is a finding. */
const stopPatienceMs = 20_000;
const maxSaid = 20_000;

export class Machine {
  readonly name: string;
  readonly #command: MachineCommand;
  #child: ChildProcess | null = null;
  #exited: Promise<unknown> = Promise.resolve();
  #isPaused = false;
  #said = "";

  constructor(command: MachineCommand) {
    this.name = command.name;
    this.#command = command;
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child !== null && child.exitCode === null && child.signalCode === null;
  }

  /** The beginning of what it has written since its last start. */
  get said(): string {
    return this.#said;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  start(): void {
    if (this.isRunning) throw new Error(`${this.name} runs already`);
    const { file, arguments: list, environment, logFile } = this.#command;
    const child = spawn(file, [...list], {
      env: { ...environment },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#said = "";
    const keep = (chunk: Buffer) => {
      appendFileSync(logFile, chunk);
      if (this.#said.length < maxSaid) this.#said += String(chunk);
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    this.#exited = once(child, "close");
    this.#child = child;
    this.#isPaused = false;
  }

  /** What ended by itself is started again, as systemd and Kubernetes do. */
  keepUp(): void {
    if (!this.isRunning) this.start();
  }

  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#exited;
  }

  /** As an operator stops it; what does not stop in time is killed. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.resume();
    this.#child?.kill("SIGTERM");
    const late = Symbol("late");
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, stopPatienceMs, late);
    });
    const end = await Promise.race([this.#exited, patience]);
    clearTimeout(timer);
    if (end === late) {
      await this.kill();
      throw new Error(`${this.name} did not stop within ${stopPatienceMs} ms of SIGTERM`);
    }
  }

  pause(): void {
    this.#child?.kill("SIGSTOP");
    this.#isPaused = true;
  }

  resume(): void {
    if (this.#isPaused) this.#child?.kill("SIGCONT");
    this.#isPaused = false;
  }
}
