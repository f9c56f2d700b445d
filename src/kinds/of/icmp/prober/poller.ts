import {
  EFD_CLOEXEC,
  EFD_NONBLOCK,
  POLLERR,
  POLLFD,
  POLLIN,
  TIMESPEC,
} from "../../../wire/kernel/kernel-layout.ts";
import { type Libc, NULL_POINTER } from "../../../wire/kernel/libc.ts";
import type { EchoSocket } from "./socket.ts";

export const READABLE = POLLIN;
export const HAS_ERRORS = POLLERR;

/** Waits until a socket is readable or the main thread rings the bell. */
export class Poller {
  /** Descriptor of the bell, an eventfd that the main thread writes to after posting a message. */
  readonly bellFd: number;
  readonly #libc: Libc;
  readonly #entries: number;
  readonly #entriesPointer: bigint;
  readonly #timespec: number;
  readonly #timespecPointer: bigint;
  readonly #bellValue: bigint;
  #socketCount = 0;
  #entryCount = 1n;

  constructor(libc: Libc, maxSockets: number) {
    this.#libc = libc;
    this.bellFd = libc.call.eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (this.bellFd < 0) throw new Error(`eventfd failed with errno ${libc.errno()}`);
    this.#entries = libc.arena.take((maxSockets + 1) * POLLFD.size);
    this.#entriesPointer = libc.arena.pointer(this.#entries);
    this.#timespec = libc.arena.take(TIMESPEC.size);
    this.#timespecPointer = libc.arena.pointer(this.#timespec);
    this.#bellValue = libc.arena.pointer(libc.arena.take(8));
    this.#setEntry(0, this.bellFd);
  }

  useSockets(sockets: readonly EchoSocket[]): void {
    sockets.forEach((socket, position) => {
      this.#setEntry(position + 1, socket.fd);
    });
    this.#socketCount = sockets.length;
    this.#entryCount = BigInt(sockets.length + 1);
  }

  /** Waits for the bell only. Returns whether the bell rang. */
  waitForBell(timeoutMs: number): boolean {
    return this.#poll(1n, timeoutMs) > 0 && this.#answerBell();
  }

  /** Waits for the bell and for all sockets. Returns whether the bell rang. */
  waitForAll(timeoutMs: number): boolean {
    const ready = this.#poll(this.#entryCount, timeoutMs);
    if (ready <= 0) {
      this.#forgetEvents();
      return false;
    }
    return this.#events(0) !== 0 && this.#answerBell();
  }

  /** Returns the events that the last `waitForAll` observed on the socket at this position. */
  events(position: number): number {
    return this.#events(position + 1);
  }

  #poll(entryCount: bigint, timeoutMs: number): number {
    const { words } = this.#libc.arena;
    const seconds = Math.floor(timeoutMs / 1000);
    words[(this.#timespec + TIMESPEC.seconds) >>> 2] = seconds;
    words[(this.#timespec + TIMESPEC.nanoseconds) >>> 2] = (timeoutMs - seconds * 1000) * 1e6;
    const { ppoll } = this.#libc.call;
    return ppoll(this.#entriesPointer, entryCount, this.#timespecPointer, NULL_POINTER);
  }

  #answerBell(): boolean {
    this.#libc.call.read(this.bellFd, this.#bellValue, 8n);
    return true;
  }

  // Clears the events of the previous call, so that they do not count as new events after a failed
  // poll.
  #forgetEvents(): void {
    for (let position = 0; position <= this.#socketCount; position += 1) {
      this.#libc.arena.halfWords[(this.#entries + position * POLLFD.size + POLLFD.revents) >>> 1] =
        0;
    }
  }

  #events(position: number): number {
    const { halfWords } = this.#libc.arena;
    return halfWords[(this.#entries + position * POLLFD.size + POLLFD.revents) >>> 1] ?? 0;
  }

  #setEntry(position: number, fd: number): void {
    const { arena } = this.#libc;
    const entry = this.#entries + position * POLLFD.size;
    arena.signedWords[(entry + POLLFD.fd) / 4] = fd;
    arena.halfWords[(entry + POLLFD.events) / 2] = POLLIN;
  }
}
