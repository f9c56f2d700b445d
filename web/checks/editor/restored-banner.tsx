import { Button } from "@mantine/core";
import { useState } from "react";
import type { Fields } from "../../kinds/fields.ts";
import type { Draft } from "./draft.ts";
import styles from "./editor.module.css";
import { type CheckEditor, hasSecretsToType } from "./use-check-editor.ts";
import { words } from "./words.ts";

interface RestoredBannerProps {
  readonly editor: CheckEditor;
  readonly draft: Draft | null;
  readonly start: Fields;
  /** Begins again in place of putting the first values back. */
  readonly onDiscard?: () => void;
}

/** Says that what was typed before is back, and offers to begin again. */
export function RestoredBanner({ editor, draft, start, onDiscard }: RestoredBannerProps) {
  const [isShown, setShown] = useState(draft !== null);
  const [lacksSecrets] = useState(() => hasSecretsToType(editor.values, draft));
  if (!isShown) return null;
  const discard = () => {
    setShown(false);
    if (onDiscard) onDiscard();
    else editor.replace(editor.base ?? start);
  };
  return (
    <div className={styles.banner} role="status">
      <span>
        {words.restored} {lacksSecrets && words.restoredSecrets}
      </span>
      <Button variant="default" size="compact-sm" onClick={discard}>
        {words.discard}
      </Button>
    </div>
  );
}
