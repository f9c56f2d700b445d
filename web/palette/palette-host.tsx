import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { openAgent } from "../agent/index.ts";
import { useMay } from "../api/session.ts";
import { SearchIcon } from "../parts/icons.tsx";
import { type KeyCommand, useKeys } from "./keys.ts";

/** Label of the search button. It is not in `words.ts`, which is loaded only with the palette. */
const openLabel = "Search";

/** Buffers the keys typed between opening the palette and the loading of its code. */
class EarlyText {
  /** Buffered text; `null` while nothing is buffered. */
  #text: string | null = null;

  await(): void {
    this.#text = "";
  }

  /** Buffers a key, and returns whether the key was buffered. */
  take(key: string): boolean {
    if (this.#text === null) return false;
    if (key === "Backspace") this.#text = this.#text.slice(0, -1);
    else if ([...key].length === 1) this.#text += key;
    else return false;
    return true;
  }

  /** Stops buffering and returns the text. Called when the palette has loaded or was closed. */
  end(): string {
    const text = this.#text ?? "";
    this.#text = null;
    return text;
  }
}

const Palette = lazy(() => import("./palette.tsx").then((loaded) => ({ default: loaded.Palette })));
const ShortcutList = lazy(() =>
  import("./palette.tsx").then((loaded) => ({ default: loaded.ShortcutList })),
);

/** Returns the search field of the current screen, or `null` if there is none. */
const findSearchField = () =>
  document.querySelector<HTMLInputElement>('main input[type="search"], main [role="searchbox"]');

interface PaletteHostProps {
  readonly buttonClass: string | undefined;
}

/** Renders the search button, and handles the keyboard shortcuts of every screen. */
export function PaletteHost({ buttonClass }: PaletteHostProps) {
  const router = useRouter();
  const mayWrite = useMay("write");
  const [open, setOpen] = useState<"palette" | "shortcuts" | null>(null);
  const [early] = useState(() => new EarlyText());
  const openPalette = () => {
    early.await();
    setOpen("palette");
  };
  const close = () => {
    early.end();
    setOpen((now) => (now === open ? null : now));
  };
  const obey = (command: KeyCommand) => {
    if (command.command === "go") router.history.push(command.href);
    if (command.command === "palette" && open === "palette") close();
    else if (command.command === "palette") openPalette();
    if (command.command === "shortcuts") setOpen("shortcuts");
    if (command.command === "agent") openAgent();
    if (command.command === "new-check" && mayWrite) router.history.push("/checks/new");
    const shown = /^\/checks\/[0-9a-f-]{36}$/.exec(router.state.location.pathname)?.[0];
    if (command.command === "edit" && mayWrite && shown) router.history.push(`${shown}/edit`);
    if (command.command !== "search") return;
    const field = findSearchField();
    if (field === null) openPalette();
    else field.focus();
  };
  useKeys(obey, (key) => early.take(key));
  return (
    <>
      <button
        type="button"
        className={buttonClass}
        aria-keyshortcuts="Control+K Meta+K"
        title="Ctrl K"
        onClick={openPalette}
      >
        <SearchIcon size={20} />
        <span>{openLabel}</span>
      </button>
      <Suspense>
        {open === "palette" && (
          <Palette
            takeEarlyText={() => early.end()}
            onClose={close}
            onShortcuts={() => setOpen("shortcuts")}
          />
        )}
        {open === "shortcuts" && <ShortcutList onClose={close} />}
      </Suspense>
    </>
  );
}
