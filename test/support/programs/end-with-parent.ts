/**
 * Preloaded with `node --import` into processes that tests and benchmarks start. Ends the process
 * when its parent has exited, even if the parent was killed: the standard input is a pipe from the
 * parent, which the kernel then closes. Without this, a killed test run would leave its servers
 * running.
 */
import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import { isMainThread } from "node:worker_threads";

/**
 * Time until a process that does not stop is killed. A server needs up to ten seconds for draining.
 */
const drainMs = 10_000;

const stdin = fstatSync(0);
// Worker threads are excluded, because they load this file too and their standard input ends
// immediately.
if (isMainThread && (stdin.isFIFO() || stdin.isSocket())) {
  // `process.stdin` is used, because opening a second socket on the same descriptor fails with
  // EEXIST.
  const line = process.stdin;
  const end = () => {
    process.kill(process.pid, "SIGTERM");
    setTimeout(() => process.kill(process.pid, "SIGKILL"), drainMs).unref();
  };
  line.on("end", end).on("error", end).resume();
  // A pipe is a `Socket` here. It is unreferenced, so that it does not keep the process alive.
  if (line instanceof Socket) line.unref();
}
