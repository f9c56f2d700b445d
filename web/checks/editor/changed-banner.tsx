import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { isNews } from "./changes.ts";
import { fromCheck } from "./check-values.ts";
import type { Conflict } from "./conflict-panel.tsx";
import styles from "./editor.module.css";
import { storedCheckQuery } from "./queries.ts";
import type { CheckEditor } from "./use-check-editor.ts";
import { words } from "./words.ts";

interface ChangedBannerProps {
  readonly checkId: string;
  readonly editor: CheckEditor;
  readonly onShow: (conflict: Conflict) => void;
}

/** Reports before Save that the check was changed elsewhere since the form was filled. */
export function ChangedBanner({ checkId, editor, onShow }: ChangedBannerProps) {
  const { data } = useQuery(storedCheckQuery(checkId));
  const { base, values: mine, etag } = editor;
  if (data === undefined || base === null || data.etag === etag) return null;
  const theirs = fromCheck(data.check);
  if (!isNews(base, mine, theirs)) return null;
  return (
    <div className={styles.banner} role="status">
      <span>{words.changedElsewhere}</span>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => onShow({ base, mine, theirs, etag: data.etag })}
      >
        {words.showChanges}
      </Button>
    </div>
  );
}
