/**
 * Adds the folder check type to the maps of the product, with the lines that its author would add
 * to each file.
 */
import { registerHooks } from "node:module";

const lines: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  "/src/kinds/index.ts": [
    ["import { api }", 'import { folder } from "../../test/support/new-kind/folder-kind.ts";\n'],
    ["  ICMP: icmp,", "  FOLDER: folder,\n"],
  ],
  "/src/kinds/probers.ts": [
    [
      "import { startApiProber }",
      'import { startFolderProber } from "../../test/support/new-kind/folder-prober.ts";\n',
    ],
    ["  SSL: startSslProber,", "  FOLDER: startFolderProber,\n"],
  ],
};

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    const added = Object.entries(lines).find(([path]) => url.endsWith(path))?.[1];
    if (added === undefined) return loaded;
    let text = String(loaded.source);
    for (const [before, line] of added) {
      if (!text.includes(before)) throw new Error(`${url} has no "${before}"`);
      text = text.replace(before, `${line}${before}`);
    }
    return { ...loaded, source: text };
  },
});
