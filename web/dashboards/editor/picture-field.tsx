import { Button, FileButton } from "@mantine/core";
import { useState } from "react";
import { words } from "../words.ts";
import styles from "./editor.module.css";

/** Maximum size that the API accepts. */
const maxBytes = 200_000;
const types = "image/png,image/jpeg,image/gif,image/webp,image/svg+xml,image/x-icon";

function readFile(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

interface PictureFieldProps {
  readonly label: string;
  readonly value: string | null;
  readonly fault: string | undefined;
  readonly onChange: (value: string | null) => void;
}

/** Uploads an image, which the server stores and serves. */
export function PictureField({ label, value, fault, onChange }: PictureFieldProps) {
  const [isTooLarge, setTooLarge] = useState(false);
  const choose = async (file: File | null) => {
    if (file === null) return;
    setTooLarge(file.size > maxBytes);
    if (file.size <= maxBytes) onChange(await readFile(file));
  };
  const error = isTooLarge ? words.picture.tooLarge : fault;
  const isNew = value?.startsWith("data:") ?? false;
  return (
    <div className={styles.picture}>
      <span className={styles.label}>{label}</span>
      <span className={styles.hint}>
        {value === null ? words.picture.none : isNew ? words.picture.chosen : value}
      </span>
      <div className={styles.buttons}>
        <FileButton accept={types} onChange={(file) => void choose(file)}>
          {(props) => (
            <Button {...props} variant="default" size="xs">
              {words.picture.choose(label)}
            </Button>
          )}
        </FileButton>
        {value !== null && (
          <Button variant="default" size="xs" onClick={() => onChange(null)}>
            {words.picture.remove(label)}
          </Button>
        )}
      </div>
      {error && (
        <span className={styles.fault} role="alert">
          {error}
        </span>
      )}
    </div>
  );
}
