import { useBlocker } from "@tanstack/react-router";
import { useRef } from "react";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { words } from "./words.ts";

interface LeaveGuardProps {
  readonly isDirty: boolean;
  /** Called when somebody leaves without saving. */
  readonly onGiveUp: () => void;
}

/** Asks before unsaved input is left behind. The sign-in is exempt: it leads back to the draft. */
export function LeaveGuard({ isDirty, onGiveUp }: LeaveGuardProps) {
  const dirty = useRef(isDirty);
  const isGivenUp = useRef(false);
  // The screen stays mounted while the next one loads.
  dirty.current = isDirty && !isGivenUp.current;
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      dirty.current && next.pathname !== "/sign-in" && next.pathname !== current.pathname,
    enableBeforeUnload: () => dirty.current,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      isOpen={status === "blocked"}
      title={words.leaveTitle}
      action={words.leave}
      onConfirm={() => {
        isGivenUp.current = true;
        dirty.current = false;
        onGiveUp();
        proceed?.();
      }}
      onCancel={() => reset?.()}
    >
      <p>{words.leaveText}</p>
    </ConfirmDialog>
  );
}
