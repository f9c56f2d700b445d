/** A process of the fleet that can be killed, suspended and restarted. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";

export interface MachineCommand {
  readonly name: string;
  readonly file: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** File that receives the output of the process, for debugging. */
  readonly logFile: string;
}

/** Timeout of a graceful stop. A process that exceeds it is killed, and the test fails. */
const stopTimeoutMs = 20_000;
const maxOutput = 20_000;

export class Machine {
  readonly name: string;
  readonly #command: MachineCommand;
  #child: ChildProcess | null = null;
  #exited: Promise<unknown> = Promise.resolve();
  #isPaused = false;
  #output = "";

  constructor(command: MachineCommand) {
    this.name = command.name;
    this.#command = command;
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child !== null && child.exitCode === null && child.signalCode === null;
  }

  /** Beginning of the output since the last start of the process. */
  get output(): string {
    return this.#output;
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
    this.#output = "";
    const keep = (chunk: Buffer) => {
      appendFileSync(logFile, chunk);
      if (this.#output.length < maxOutput) this.#output += String(chunk);
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    this.#exited = once(child, "close");
    this.#child = child;
    this.#isPaused = false;
  }

  /** Starts the process if it has exited, as systemd and Kubernetes do. */
  keepUp(): void {
    if (!this.isRunning) this.start();
  }

  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#exited;
  }

  /** Stops the process gracefully, like an operator, or kills it after the timeout. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.resume();
    this.#child?.kill("SIGTERM");
    const late = Symbol("late");
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, stopTimeoutMs, late);
    });
    const end = await Promise.race([this.#exited, timeout]);
    clearTimeout(timer);
    if (end === late) {
      await this.kill();
      throw new Error(`${this.name} did not stop within ${stopTimeoutMs} ms of SIGTERM`);
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
