import { Button, Radio } from "@mantine/core";
import { useId, useRef, useState } from "react";
import { getFieldError } from "../../editing/index.ts";
import { formatBytes } from "../../parts/figures.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import styles from "./look.module.css";
import type { PreviewState } from "./page-preview.tsx";
import { type PageValues, type Palette, type PictureField, pictureFields } from "./page-values.ts";
import type { PageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

/** Maximum size of an image in bytes that the API accepts. */
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

/**
 * Returns the URL of an image. A newly selected image is a data URL. Any other image is taken from
 * the preview, which also serves the images of private pages.
 */
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
            // The value is reset so that selecting the same file again triggers a change event.
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

function PictureFields(props: PictureFieldsProps) {
  return (
    <Stack gap={0}>
      {pictureFields.map((field) => (
        <OnePicture key={field} field={field} {...props} />
      ))}
    </Stack>
  );
}

interface ColorFieldProps {
  readonly label: string;
  readonly value: string;
  /** Warnings about an insufficient contrast of this colour. */
  readonly warnings: readonly string[];
  readonly onChange: (color: string) => void;
}

const pattern = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** Converts a three-digit colour to six digits, which the native colour picker requires. */
function toLong(color: string): string {
  const digits = color.slice(1);
  const long = digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
  return `#${long.toLowerCase()}`;
}

/** Edits a colour with the native picker or as text. `onChange` is not called for invalid text. */
function ColorField({ label, value, warnings, onChange }: ColorFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const isWrong = typed !== null && !pattern.test(typed.trim());
  const describedBy = warnings.length > 0 || isWrong ? `${id}-notes` : undefined;
  return (
    <div className={styles.color}>
      <input
        type="color"
        aria-label={words.pick(label)}
        value={toLong(value)}
        onChange={({ currentTarget }) => {
          setTyped(null);
          onChange(currentTarget.value.toUpperCase());
        }}
      />
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={styles.number}
        value={typed ?? value}
        maxLength={7}
        spellCheck={false}
        aria-invalid={isWrong}
        aria-describedby={describedBy}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          if (pattern.test(currentTarget.value.trim())) onChange(currentTarget.value.trim());
        }}
        onBlur={() => !isWrong && setTyped(null)}
      />
      {describedBy && (
        <ul id={describedBy} className={`${styles.notes} ${textStyles.fair} ${textStyles.small}`}>
          {isWrong && <li className={`${textStyles.fault} ${textStyles.wrap}`}>{words.noColor}</li>}
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface LookFieldsProps {
  readonly editor: PageEditor;
  readonly preview: PreviewState;
  readonly error: unknown;
}

type Theme = "light" | "dark";
const themes: readonly Theme[] = ["light", "dark"];
const colorNames = Object.keys(words.colors) as (keyof Palette)[];

function ThemeChoice({ editor }: Pick<LookFieldsProps, "editor">) {
  return (
    <Radio.Group
      label={words.theme}
      value={editor.values.defaultTheme}
      onChange={(value) => editor.change({ defaultTheme: value as PageValues["defaultTheme"] })}
    >
      <Row gap={6} className={styles.choices}>
        <Radio value="AUTO" label={words.themes.AUTO} />
        <Radio value="LIGHT" label={words.themes.LIGHT} />
        <Radio value="DARK" label={words.themes.DARK} />
      </Row>
    </Radio.Group>
  );
}

/** Edits the custom colours of each theme. The server's preview returns the contrast warnings. */
function OwnColors({ editor, preview }: Pick<LookFieldsProps, "editor" | "preview">) {
  const [theme, setTheme] = useState<Theme>("light");
  const { themeColors } = editor.values;
  if (themeColors === null) return null;
  const palette = themeColors[theme];
  const warnings = preview.answer?.contrastWarnings ?? [];
  const setColor = (name: keyof Palette, color: string) =>
    editor.change({ themeColors: { ...themeColors, [theme]: { ...palette, [name]: color } } });
  return (
    <>
      <Radio.Group
        label={words.colorsOn}
        value={theme}
        onChange={(value) => setTheme(value as Theme)}
      >
        <Row gap={6} className={styles.choices}>
          {themes.map((one) => (
            <Radio
              key={one}
              value={one}
              label={words.onTheme(one, warnings.filter((warning) => warning.theme === one).length)}
            />
          ))}
        </Row>
      </Radio.Group>
      <div className={styles.colors}>
        {colorNames.map((name) => (
          <ColorField
            key={`${theme} ${name}`}
            label={words.colors[name]}
            value={palette[name]}
            warnings={warnings
              .filter((warning) => warning.theme === theme && warning.foreground === name)
              .map(({ background, ratio, needed }) =>
                words.contrast(words.colors[background], ratio, needed),
              )}
            onChange={(color) => setColor(name, color)}
          />
        ))}
      </div>
    </>
  );
}

type ColorSource = keyof typeof words.colorSource;
const colorSources = Object.keys(words.colorSource) as ColorSource[];
/**
 * Selects default colours, a brand colour or custom colours. Custom colours start with the colours
 * that the preview currently shows.
 */
function ColorChoice({ editor, preview }: Pick<LookFieldsProps, "editor" | "preview">) {
  const shown = preview.answer?.themeColors;
  const { themeColors, brandColor } = editor.values;
  const derived: ColorSource = brandColor === null ? "usual" : "brand";
  const source: ColorSource = themeColors === null ? derived : "own";
  const firstColor = shown?.light.linkFontColor ?? null;
  const choose = (wanted: ColorSource) => {
    if (wanted === "usual") editor.change({ themeColors: null, brandColor: null });
    else if (wanted === "own") editor.change({ themeColors: shown ?? null });
    else editor.change({ themeColors: null, brandColor: brandColor ?? firstColor });
  };
  return (
    <>
      <Radio.Group
        label={words.colorSources}
        value={source}
        onChange={(value) => choose(value as ColorSource)}
      >
        <Row gap={6} className={styles.choices}>
          {colorSources.map((one) => (
            <Radio
              key={one}
              value={one}
              label={words.colorSource[one]}
              disabled={one !== "usual" && shown === undefined}
            />
          ))}
        </Row>
      </Radio.Group>
      {source === "brand" && brandColor !== null && (
        <div>
          <ColorField
            label={words.brandColor}
            value={brandColor}
            warnings={[]}
            onChange={(color) => editor.change({ brandColor: color })}
          />
          <p className={textStyles.hint}>{words.brandHint}</p>
        </div>
      )}
      {source === "own" && <p className={textStyles.hint}>{words.ownColorsHint}</p>}
    </>
  );
}

export function LookFields({ editor, preview, error }: LookFieldsProps) {
  return (
    <>
      <PictureFields editor={editor} preview={preview} error={error} />
      <ThemeChoice editor={editor} />
      <ColorChoice editor={editor} preview={preview} />
      <OwnColors editor={editor} preview={preview} />
    </>
  );
}
