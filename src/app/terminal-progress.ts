/**
 * Shows the progress of a long command: one updated line on a terminal, separate lines elsewhere.
 */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

export interface TerminalProgress {
  readonly show: (line: string) => void;
  /** Writes a permanent line. */
  readonly say: (line: string) => void;
  readonly end: () => void;
}

const onTerminalMs = 200;
const elsewhereMs = 5_000;
const clearLine = "\r\x1b[K";

export function createTerminalProgress(
  terminal: Terminal,
  nowMs: () => number = () => performance.now(),
): TerminalProgress {
  const isTerminal = terminal.isTTY === true;
  const everyMs = isTerminal ? onTerminalMs : elsewhereMs;
  let shownAtMs = nowMs();
  let isLineOpen = false;
  const end = () => {
    if (isLineOpen) terminal.write(clearLine);
    isLineOpen = false;
  };
  return {
    show: (line) => {
      if (nowMs() - shownAtMs < everyMs) return;
      shownAtMs = nowMs();
      terminal.write(isTerminal ? `${clearLine}${line}` : `${line}\n`);
      isLineOpen = isTerminal;
    },
    say: (line) => {
      end();
      terminal.write(`${line}\n`);
    },
    end,
  };
}
