import { Button, FileButton } from "@mantine/core";
import { useState } from "react";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { words } from "../words.ts";

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
    <Stack gap={1}>
      <span className={textStyles.strong}>{label}</span>
      <span className={`${textStyles.hint} ${textStyles.wrap}`}>
        {value === null ? words.picture.none : isNew ? words.picture.chosen : value}
      </span>
      <Row>
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
      </Row>
      {error && (
        <span className={textStyles.fault} role="alert">
          {error}
        </span>
      )}
    </Stack>
  );
}
