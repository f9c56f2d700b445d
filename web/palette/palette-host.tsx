import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { openAgent } from "../agent/agent-door.ts";
import { useMay } from "../api/session.ts";
import { SearchIcon } from "../parts/icons.tsx";
import type { KeyCommand } from "./keys.ts";
import { useKeys } from "./use-keys.ts";
import { words } from "./words.ts";

const Palette = lazy(() => import("./palette.tsx").then((loaded) => ({ default: loaded.Palette })));
const ShortcutList = lazy(() =>
  import("./shortcut-list.tsx").then((loaded) => ({ default: loaded.ShortcutList })),
);

/** The screen's own search, where it has one. */
const findSearchField = () =>
  document.querySelector<HTMLInputElement>('main input[type="search"], main [role="searchbox"]');

interface PaletteHostProps {
  readonly buttonClass: string | undefined;
  readonly labelClass: string | undefined;
}

/** The button that opens the palette, and the keys that work on every screen. */
export function PaletteHost({ buttonClass, labelClass }: PaletteHostProps) {
  const router = useRouter();
  const mayWrite = useMay("write");
  const [open, setOpen] = useState<"palette" | "shortcuts" | null>(null);
  const obey = (command: KeyCommand) => {
    if (command.command === "go") router.history.push(command.href);
    if (command.command === "palette") setOpen(open === "palette" ? null : "palette");
    if (command.command === "shortcuts") setOpen("shortcuts");
    if (command.command === "agent") openAgent();
    if (command.command === "new-check" && mayWrite) router.history.push("/checks/new");
    if (command.command !== "search") return;
    const field = findSearchField();
    if (field === null) setOpen("palette");
    else field.focus();
  };
  useKeys(obey);
  const close = () => setOpen((now) => (now === open ? null : now));
  return (
    <>
      <button
        type="button"
        className={buttonClass}
        aria-keyshortcuts="Control+K Meta+K"
        title="Ctrl K"
        onClick={() => setOpen("palette")}
      >
        <SearchIcon size={20} />
        <span className={labelClass}>{words.open}</span>
      </button>
      <Suspense>
        {open === "palette" && <Palette onClose={close} onShortcuts={() => setOpen("shortcuts")} />}
        {open === "shortcuts" && <ShortcutList onClose={close} />}
      </Suspense>
    </>
  );
}
