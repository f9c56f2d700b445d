import { useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { type ComponentType, useEffect, useRef, useState } from "react";
import { AgentButton, AgentDock } from "../agent/index.ts";
import { BesideList } from "../checks/index.ts";
import { StaleLine } from "../live/index.ts";
import { overviewQuery } from "../now/index.ts";
import { PaletteHost } from "../palette/index.ts";
import {
  BellIcon,
  BookIcon,
  BrowserIcon,
  FolderIcon,
  GearIcon,
  ListIcon,
  MegaphoneIcon,
  MoonIcon,
  MoreIcon,
  PersonIcon,
  PinIcon,
  PulseIcon,
  ScreenIcon,
  SunIcon,
} from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { showFailing } from "../parts/screen-title.ts";
import { AccountMenu } from "./account-menu.tsx";
import styles from "./shell.module.css";
import { words } from "./words.ts";

/** Size of the tab icon in pixels. The icon shows the number of failing checks. */
const iconSize = 64;
const iconPath = "/favicon.svg";

function openCanvas(): CanvasRenderingContext2D | null {
  const canvas = document.createElement("canvas");
  canvas.width = iconSize;
  canvas.height = iconSize;
  return canvas.getContext("2d");
}

function drawCount(count: number): string | null {
  const pen = openCanvas();
  if (pen === null) return null;
  const style = getComputedStyle(document.documentElement);
  pen.fillStyle = style.getPropertyValue("--bad");
  pen.beginPath();
  pen.roundRect(0, 0, iconSize, iconSize, 14);
  pen.fill();
  pen.fillStyle = style.getPropertyValue("--mark");
  pen.font = `bold ${count > 9 ? 36 : 46}px sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(count > 99 ? "99+" : String(count), iconSize / 2, iconSize / 2 + 3);
  return pen.canvas.toDataURL("image/png");
}

/**
 * Returns the tab icon that is shown while no check is failing, as a data URL. It is drawn from the
 * logo in the navigation, which is already loaded. With the URL of the icon file, the browser would
 * fetch the file again whenever the tab returns to this icon.
 */
function drawLogo(): string | null {
  const logo = document.querySelector<HTMLImageElement>(`img[src="${iconPath}"]`);
  if (logo === null || !logo.complete || logo.naturalWidth === 0) return null;
  const pen = openCanvas();
  pen?.drawImage(logo, 0, 0, iconSize, iconSize);
  return pen?.canvas.toDataURL("image/png") ?? null;
}

function showIcon(failing: number): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link === null) return;
  // The original icon stays in place until a check fails for the first time.
  if (failing === 0 && link.getAttribute("href") === iconPath) return;
  const drawn = failing === 0 ? drawLogo() : drawCount(failing);
  link.type = drawn === null ? "image/svg+xml" : "image/png";
  link.href = drawn ?? iconPath;
}

function useTabSign(): void {
  const { data } = useQuery({ ...overviewQuery, refetchInterval: 60_000 });
  const failing = data?.counts.failing ?? 0;
  useEffect(() => {
    showFailing(failing);
    showIcon(failing);
  }, [failing]);
  useEffect(
    () => () => {
      showFailing(0);
      showIcon(0);
    },
    [],
  );
}

interface Section {
  readonly to: string;
  readonly label: string;
  /** Additional path prefix of screens that belong to this section. */
  readonly also?: string;
  readonly Icon: ComponentType<{ readonly size?: number }>;
}

/** Entries of the main navigation. */
const sections: readonly Section[] = [
  { to: "/", label: "Now", Icon: PulseIcon },
  { to: "/checks", label: "Checks", Icon: ListIcon },
  { to: "/groups", label: "Groups", Icon: FolderIcon },
  { to: "/alerts", label: "Alerts", Icon: BellIcon },
  { to: "/on-call", label: "On call", Icon: PersonIcon },
  { to: "/incidents", label: "Incidents", Icon: MegaphoneIcon },
  { to: "/status-pages", label: "Status pages", Icon: BrowserIcon },
  { to: "/dashboards", label: "Dashboards", Icon: ScreenIcon, also: "/edit-dashboard/" },
  { to: "/locations", label: "Locations", Icon: PinIcon },
  { to: "/settings", label: "Settings", Icon: GearIcon },
];

/** Paths of the entries in the bottom bar of a phone. All other entries are under "More". */
const sectionsInBar: ReadonlySet<string> = new Set(["/", "/checks", "/alerts", "/on-call"]);

const next = { auto: "light", light: "dark", dark: "auto" } as const;

/**
 * Switches between system, light and dark theme. Without `keepTransitions`, Mantine would add a
 * style element, which the content security policy forbids.
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

/**
 * Sheet with the entries that do not fit in a phone's bottom bar. Selecting an entry closes the
 * sheet.
 */
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

/** Main navigation: a bar at the left edge, or at the bottom of a phone. */
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

/** Frame around every screen for signed-in users. */
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
