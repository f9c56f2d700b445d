import { type Browser, chromium } from "playwright-core";
import { findLack, findProgram } from "../programs/programs.ts";

const executablePath = findProgram("chromium");

/**
 * Reason why browser tests cannot run on this machine, or `false`. Used as `test(name, { skip:
 * noBrowser }, …)`.
 */
export const noBrowser: string | false = findLack("chromium");

/** Starts Chromium. Every host name that ends in `.test` resolves to this machine. */
export async function launchChromium(): Promise<Browser> {
  if (executablePath === null) throw new Error(String(noBrowser));
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP *.test 127.0.0.1"],
  });
}
