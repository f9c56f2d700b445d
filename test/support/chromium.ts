import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const usualPlaces = [
  process.env.CHROMIUM_PATH ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

export function findChromium(): string | null {
  return usualPlaces.find((path) => path !== "" && existsSync(path)) ?? null;
}

/** Once for a whole test run: where we may and it is missing, and no longer than three minutes. */
export function installChromium(): void {
  const isAllowed = process.platform === "linux" && process.getuid?.() === 0;
  if (findChromium() !== null || !isAllowed || !existsSync("/usr/bin/apt-get")) return;
  process.stderr.write("Chromium is missing; installing it for the tests of pages …\n");
  const run = (list: readonly string[], timeout: number) =>
    spawnSync("apt-get", list, { timeout, stdio: "ignore" });
  run(["update"], 30_000);
  run(["install", "-y", "--no-install-recommends", "chromium"], 150_000);
}
