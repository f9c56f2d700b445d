import { Button } from "@mantine/core";
import { useRef, useState } from "react";
import { getFieldError } from "../../editing/index.ts";
import { formatBytes } from "../../parts/figures.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import styles from "./look.module.css";
import type { PreviewState } from "./page-preview.tsx";
import { type PictureField, pictureFields } from "./page-values.ts";
import type { PageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

/** Maximum size that the API accepts. */
const maxBytes = 200_000;
const accepted = "image/png,image/jpeg,image/gif,image/webp,image/avif,image/svg+xml,.ico";

const roles: Readonly<Record<PictureField, string>> = {
  logo: "logo",
  logoDark: "logo-dark",
  favicon: "favicon",
};

function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

interface PictureFieldsProps {
  readonly editor: PageEditor;
  readonly preview: PreviewState;
  readonly error: unknown;
}

/** The newly chosen image, or the one of the preview, which also serves images of private pages. */
function findSource(field: PictureField, { editor, preview }: PictureFieldsProps): string | null {
  const value = editor.values[field];
  if (value === null) return null;
  if (value.startsWith("data:")) return value;
  return preview.answer && `${preview.answer.light}images/${roles[field]}`;
}

function OnePicture({ field, ...props }: PictureFieldsProps & { readonly field: PictureField }) {
  const { editor, preview, error } = props;
  const input = useRef<HTMLInputElement>(null);
  const [tooLarge, setTooLarge] = useState<string | null>(null);
  const source = findSource(field, props);
  const name = words.pictures[field];
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > maxBytes) {
      setTooLarge(words.tooLarge(formatBytes(file.size), formatBytes(maxBytes)));
      return;
    }
    setTooLarge(null);
    editor.change({ [field]: await readAsDataUrl(file) });
  };
  const fault = tooLarge ?? getFieldError(preview.error, field) ?? getFieldError(error, field);
  return (
    <div className={styles.picture}>
      <div className={styles.thumb} data-dark={field === "logoDark"}>
        {source !== null && <img key={source} src={source} alt={words.pictureNow(name)} />}
      </div>
      <div>
        <p className={textStyles.strong}>{name}</p>
        <p className={textStyles.hint}>{words.pictureHints[field]}</p>
        {fault && (
          <p className={`${textStyles.fault} ${textStyles.wrap}`} role="alert">
            {fault}
          </p>
        )}
      </div>
      <Row nowrap gap={1} className={styles.buttons}>
        <input
          ref={input}
          type="file"
          accept={accepted}
          className="unseen"
          tabIndex={-1}
          aria-label={words.choosePicture(name)}
          onChange={({ currentTarget }) => {
            void choose(currentTarget.files?.[0]);
            // Reset, so that the same file can be chosen again.
            currentTarget.value = "";
          }}
        />
        <Button
          variant="default"
          size="xs"
          aria-label={words.choosePicture(name)}
          onClick={() => input.current?.click()}
        >
          {words.upload}
        </Button>
        {editor.values[field] !== null && (
          <Button
            variant="default"
            size="xs"
            aria-label={words.removePicture(name)}
            onClick={() => {
              setTooLarge(null);
              editor.change({ [field]: null });
            }}
          >
            {words.remove}
          </Button>
        )}
      </Row>
    </div>
  );
}

export function PictureFields(props: PictureFieldsProps) {
  return (
    <Stack gap={0}>
      {pictureFields.map((field) => (
        <OnePicture key={field} field={field} {...props} />
      ))}
    </Stack>
  );
}
