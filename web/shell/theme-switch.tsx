import { useMantineColorScheme } from "@mantine/core";
import { words } from "../palette/words.ts";
import { MoonIcon, SunIcon } from "../parts/icons.tsx";

const next = { auto: "light", light: "dark", dark: "auto" } as const;

/**
 * From the system's to light, to dark, and round again. Mantine would halt transitions meanwhile by
 * a style tag, which the content security policy forbids.
 */
export function ThemeSwitch({
  buttonClass,
  labelClass,
}: {
  readonly buttonClass: string | undefined;
  readonly labelClass: string | undefined;
}) {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const name = words.themeNow[colorScheme];
  return (
    <button
      type="button"
      className={buttonClass}
      aria-label={words.changeTheme(name)}
      onClick={() => setColorScheme(next[colorScheme])}
    >
      {colorScheme === "dark" ? <MoonIcon size={20} /> : <SunIcon size={20} />}
      <span className={labelClass}>{name}</span>
    </button>
  );
}
