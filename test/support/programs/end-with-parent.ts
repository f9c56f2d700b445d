/**
 * Preloaded into processes started by tests and benchmarks (`node --import`). Ends this process
 * when its parent is gone, even if that was killed: its standard input is a pipe from the parent,
 * which the kernel closes. Otherwise a killed run would leave its servers behind.
 */
import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import { isMainThread } from "node:worker_threads";

/** A server drains for up to ten seconds. After that it is killed. */
const drainMs = 10_000;

const stdin = fstatSync(0);
// A worker thread loads this too, and its own standard input ends at once.
if (isMainThread && (stdin.isFIFO() || stdin.isSocket())) {
  // `process.stdin` itself, because a second socket on the same descriptor fails with EEXIST.
  const line = process.stdin;
  const end = () => {
    process.kill(process.pid, "SIGTERM");
    setTimeout(() => process.kill(process.pid, "SIGKILL"), drainMs).unref();
  };
  line.on("end", end).on("error", end).resume();
  // A pipe is a socket here, which must not keep the process alive.
  if (line instanceof Socket) line.unref();
}
