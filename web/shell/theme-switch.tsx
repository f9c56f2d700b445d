import { useMantineColorScheme } from "@mantine/core";
import { MoonIcon, SunIcon } from "../parts/icons.tsx";
import { words } from "./words.ts";

const next = { auto: "light", light: "dark", dark: "auto" } as const;

/**
 * Cycles through system, light and dark theme. It bypasses Mantine's switch, which adds a style tag
 * that the content security policy forbids.
 */
export function ThemeSwitch({
  buttonClass,
  labelClass,
}: {
  readonly buttonClass: string | undefined;
  readonly labelClass: string | undefined;
}) {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const name = words.theme[colorScheme];
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
