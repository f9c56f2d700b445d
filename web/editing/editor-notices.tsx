import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { useRef } from "react";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Row } from "../parts/layout.tsx";
import { ConflictPanel, type Naming } from "./conflict-panel.tsx";
import styles from "./editing.module.css";
import { type OwnedObject, ownerQuery } from "./queries.ts";
import type { Editor } from "./use-editor.ts";
import { words } from "./words.ts";

/** Warns that the object is described by the code of a project. */
export function OwnerNotice({ owned }: { readonly owned: OwnedObject }) {
  const { data: owner } = useQuery(ownerQuery(owned));
  if (!owner) return null;
  return (
    <Row gap={4} className={styles.banner} role="status">
      <span>{words.ownedBy(owner.project.name)}</span>
    </Row>
  );
}

interface LeaveGuardProps {
  readonly isDirty: boolean;
  /** Called when somebody leaves without saving. */
  readonly onGiveUp: () => void;
}

/** Asks before unsaved input is left behind. The sign-in is exempt: it leads back to the draft. */
function LeaveGuard({ isDirty, onGiveUp }: LeaveGuardProps) {
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

interface BannerProps {
  readonly text: string;
  readonly action: string;
  readonly onAction: () => void;
}

function Banner({ text, action, onAction }: BannerProps) {
  return (
    <Row gap={4} justify="between" className={styles.banner} role="status">
      <span>{text}</span>
      <Button variant="default" size="compact-sm" onClick={onAction}>
        {action}
      </Button>
    </Row>
  );
}

interface RestoredBannerProps {
  readonly lacksSecrets?: boolean;
  readonly onDiscard: () => void;
}

/** Reports that a draft was restored, and offers to discard it. */
function RestoredBanner({ lacksSecrets = false, onDiscard }: RestoredBannerProps) {
  const text = lacksSecrets ? `${words.restored} ${words.restoredSecrets}` : words.restored;
  return <Banner text={text} action={words.discard} onAction={onDiscard} />;
}

/** A form that only creates objects has no conflicts and needs no names. */
interface EditorNoticesProps<Item, Values extends object> extends Partial<Naming> {
  readonly editor: Omit<Editor<Item, Values>, "change" | "update">;
  /** Replaces the way back to the edited version. */
  readonly onDiscard?: () => void;
  /** The edited object, if a project may own it; `null` for a new one. */
  readonly owned?: OwnedObject | null;
}

/** Shows a restored draft and the changes of other writers, and guards unsaved input. */
export function EditorNotices<Item, Values extends object>(
  props: EditorNoticesProps<Item, Values>,
) {
  const { editor, onDiscard, owned, subject = "", labels = new Map(), ...rest } = props;
  const naming: Naming = { subject, labels, ...rest };
  const { conflict, showChanges, isRestored, lacksSecrets } = editor;
  return (
    <>
      {owned && <OwnerNotice owned={owned} />}
      {isRestored && (
        <RestoredBanner lacksSecrets={lacksSecrets} onDiscard={onDiscard ?? editor.discard} />
      )}
      {conflict && <ConflictPanel {...naming} conflict={conflict} onResolve={editor.resolve} />}
      {!conflict && showChanges && (
        <Banner
          text={words.changedElsewhere(subject)}
          action={words.showChanges}
          onAction={showChanges}
        />
      )}
      <LeaveGuard isDirty={editor.isDirty} onGiveUp={editor.close} />
    </>
  );
}
