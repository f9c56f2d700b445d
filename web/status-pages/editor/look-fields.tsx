import { Radio } from "@mantine/core";
import { useId, useState } from "react";
import { Row } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import styles from "./look.module.css";
import type { PreviewState } from "./page-preview.tsx";
import type { PageValues, Palette } from "./page-values.ts";
import { PictureFields } from "./picture-fields.tsx";
import type { PageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

interface ColorFieldProps {
  readonly label: string;
  readonly value: string;
  /** Contrast warnings. */
  readonly warnings: readonly string[];
  readonly onChange: (color: string) => void;
}

const pattern = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** The native colour picker supports only the six-digit form. */
function toLong(color: string): string {
  const digits = color.slice(1);
  const long = digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
  return `#${long.toLowerCase()}`;
}

/** Edits a colour with the native picker or as text. Invalid text is not passed on. */
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
        <ul id={describedBy} className={styles.notes}>
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

/** The contrast warnings come with the server-rendered preview. */
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
/** Custom colours start with the colours shown: the default ones, or those of the brand colour. */
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
