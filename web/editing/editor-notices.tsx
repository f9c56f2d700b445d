import { Button } from "@mantine/core";
import { Row } from "../parts/layout.tsx";
import { ConflictPanel, type Naming } from "./conflict-panel.tsx";
import styles from "./editing.module.css";
import { LeaveGuard } from "./leave-guard.tsx";
import { OwnerNotice } from "./owner-notice.tsx";
import type { OwnedObject } from "./queries.ts";
import type { Editor } from "./use-editor.ts";
import { words } from "./words.ts";

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
