import { createReadStream, createWriteStream } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { run } from "./workspace.ts";

/**
 * The package is made for another purpose: its code is never run, and its arguments for Chromium
 * are not used. It has Chromium's headless shell, the libraries that many machines lack, and a font.
 */
const source = "node_modules/@sparticuz/chromium/bin";
const shell = "chrome-headless-shell";

/** Relative to the file, so that it can be mounted anywhere. */
const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><dir prefix="relative">fonts</dir></fontconfig>
`;

/** Starts the shell with its libraries, and with its font if the machine has no settings of any. */
const starter = `#!/bin/sh
folder="\${0%/*}"
export LD_LIBRARY_PATH="$folder/lib"
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_FILE="$folder/fonts.conf"
exec "$folder/${shell}" "$@"
`;

/**
 * Unpacks Chromium from its npm package, whose checksum npm has verified, and removes the package.
 * `program` is a path within the folder.
 */
export async function unpackChromium(folder: string, program: string): Promise<void> {
  const place = join(folder, program, "..");
  await mkdir(place, { recursive: true });
  await decompress(join(folder, source, "chromium.br"), join(place, shell));
  await chmod(join(place, shell), 0o755);
  for (const name of ["al2023", "swiftshader", "fonts"]) {
    const archive = join(place, `${name}.tar`);
    await decompress(join(folder, source, `${name}.tar.br`), archive);
    await run("tar", ["-x", "--no-same-owner", "-f", archive, "-C", place]);
    await rm(archive);
  }
  await writeFile(join(place, "fonts.conf"), fontSettings);
  await writeFile(join(folder, program), starter, { mode: 0o755 });
  await rm(join(folder, "node_modules"), { recursive: true });
}

/** In parts: it has 200 MB. */
function decompress(from: string, to: string): Promise<void> {
  return pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));
}
