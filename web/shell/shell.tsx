import { useMantineColorScheme } from "@mantine/core";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { AgentButton, AgentDock } from "../agent/index.ts";
import { BesideList } from "../checks/index.ts";
import { StaleLine } from "../live/index.ts";
import { PaletteHost } from "../palette/index.ts";
import { BookIcon, MoonIcon, MoreIcon, SunIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { type Section, sections, sectionsInBar } from "./sections.ts";
import styles from "./shell.module.css";
import { useTabSign } from "./tab-sign.ts";
import { words } from "./words.ts";

const next = { auto: "light", light: "dark", dark: "auto" } as const;

/**
 * Cycles through system, light and dark theme. It bypasses Mantine's switch, which adds a style tag
 * that the content security policy forbids.
 */
function ThemeSwitch({ buttonClass }: { readonly buttonClass: string | undefined }) {
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
      <span>{name}</span>
    </button>
  );
}

interface SectionLinkProps {
  readonly section: Section;
  readonly onClick?: () => void;
}

function SectionLink({ section: { to, label, Icon, also }, onClick }: SectionLinkProps) {
  const isBeside = useLocation({
    select: ({ pathname }) => also !== undefined && pathname.startsWith(also),
  });
  return (
    <Link
      to={to}
      onClick={onClick}
      className={styles.section}
      aria-current={isBeside ? "page" : undefined}
      activeProps={{ "aria-current": "page" }}
      activeOptions={{ exact: to === "/" }}
    >
      <Icon size={20} />
      <span>{label}</span>
    </Link>
  );
}

function DocsLink() {
  return (
    <a href="/docs" className={styles.section}>
      <BookIcon size={20} />
      <span>{words.docs}</span>
    </a>
  );
}

/** Entries that do not fit in the bottom bar of a phone. Selecting one closes the sheet. */
function MoreSections() {
  const sheet = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={styles.section}
        popoverTarget="more-sections"
        aria-expanded={isOpen}
      >
        <MoreIcon size={20} />
        <span>{words.more}</span>
      </button>
      <div
        ref={sheet}
        id="more-sections"
        popover="auto"
        className={styles.sheet}
        onToggle={(event) => setOpen(event.newState === "open")}
      >
        <ul>
          {sections
            .filter(({ to }) => !sectionsInBar.has(to))
            .map((section) => (
              <li key={section.to}>
                <SectionLink section={section} onClick={() => sheet.current?.hidePopover()} />
              </li>
            ))}
        </ul>
        <DocsLink />
        <AgentButton buttonClass={styles.section} onOpen={() => sheet.current?.hidePopover()} />
        <ThemeSwitch buttonClass={styles.section} />
      </div>
    </>
  );
}

/** The navigation: a rail at the left, or a bar at the bottom of a phone. */
function Rail() {
  return (
    <nav className={styles.rail} aria-label={words.navigation}>
      <Row nowrap className={styles.brand} aria-hidden="true">
        <img src="/favicon.svg" alt="" width={24} height={24} />
        <span className={styles.brandName}>Vedette</span>
      </Row>
      <div className={styles.top}>
        <AgentButton buttonClass={styles.section} />
      </div>
      <Stack as="ul" gap={1} className={styles.sections}>
        {sections.map((section) => (
          <li
            key={section.to}
            className={sectionsInBar.has(section.to) ? undefined : styles.notInBar}
          >
            <SectionLink section={section} />
          </li>
        ))}
        <li>
          <PaletteHost buttonClass={styles.section} />
        </li>
        <li className={styles.onlyInBar}>
          <MoreSections />
        </li>
      </Stack>
      <div className={styles.foot}>
        <DocsLink />
        <ThemeSwitch buttonClass={styles.section} />
      </div>
      <AccountMenu />
    </nav>
  );
}

/** The frame around every screen of a signed-in user. */
export function Shell() {
  useTabSign();
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {words.skip}
      </a>
      <Rail />
      <main id="content" className={styles.content} tabIndex={-1}>
        <StaleLine />
        <BesideList>
          <Outlet />
        </BesideList>
      </main>
      <AgentDock />
    </div>
  );
}
