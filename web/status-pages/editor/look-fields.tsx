import { Radio, Switch } from "@mantine/core";
import { useState } from "react";
import { ColorField } from "./color-field.tsx";
import styles from "./look.module.css";
import type { PreviewState } from "./page-preview.tsx";
import type { PageValues, Palette } from "./page-values.ts";
import { PictureFields } from "./picture-fields.tsx";
import type { PageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

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
      <div className={styles.choices}>
        <Radio value="AUTO" label={words.themes.AUTO} />
        <Radio value="LIGHT" label={words.themes.LIGHT} />
        <Radio value="DARK" label={words.themes.DARK} />
      </div>
    </Radio.Group>
  );
}

/** Warnings come with the preview: the server measures what it will show. */
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
        <div className={styles.choices}>
          {themes.map((one) => (
            <Radio
              key={one}
              value={one}
              label={words.onTheme(one, warnings.filter((warning) => warning.theme === one).length)}
            />
          ))}
        </div>
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

export function LookFields({ editor, preview, error }: LookFieldsProps) {
  const usual = preview.answer?.themeColors;
  const { themeColors } = editor.values;
  return (
    <>
      <PictureFields editor={editor} preview={preview} error={error} />
      <ThemeChoice editor={editor} />
      <Switch
        label={words.ownColors}
        description={words.ownColorsHint}
        checked={themeColors !== null}
        disabled={usual === undefined}
        onChange={({ currentTarget }) =>
          editor.change({ themeColors: currentTarget.checked ? (usual ?? null) : null })
        }
      />
      <OwnColors editor={editor} preview={preview} />
    </>
  );
}
