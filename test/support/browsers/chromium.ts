import { type Browser, chromium } from "playwright-core";
import { findLack, findProgram } from "../programs/programs.ts";

const executablePath = findProgram("chromium");

/** Why tests with a browser cannot run here, for `test(name, { skip: noBrowser }, …)`. */
export const noBrowser: string | false = findLack("chromium");

/** Every name that ends in `.test` resolves to this machine. */
export async function launchChromium(): Promise<Browser> {
  if (executablePath === null) throw new Error(String(noBrowser));
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP *.test 127.0.0.1"],
  });
}
