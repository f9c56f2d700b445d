/**
 * Long tests, which run with `npm run test:long` but not with `npm test`. A test is long if it is
 * declared with `isLong`. Other tests may use `isLongRun` to run more rounds.
 */
import { it as declare, type TestOptions as NodeTestOptions, type TestContext } from "node:test";

type Run = (t: TestContext) => void | Promise<void>;

interface TestOptions extends NodeTestOptions {
  /**
   * Whether the test runs only in long runs. `npm test` must have a shorter or cheaper test of the
   * module.
   */
  readonly isLong?: boolean;
}

export const isLongRun = process.env.LONG_RUN === "1";

/** Declares a test like `test` of `node:test`, with the additional option `isLong`. */
export function test(name: string, options: TestOptions | Run, run?: Run): void {
  if (typeof options === "function") return void declare(name, options);
  const { isLong = false, ...others } = options;
  if (!isLong || isLongRun) void declare(name, others, run);
}

export const it = test;
