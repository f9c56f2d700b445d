import { Link, Outlet } from "@tanstack/react-router";
import { BesideList } from "../checks/list/beside-list.tsx";
import { StaleLine } from "../live/stale-line.tsx";
import { useTabSign } from "../live/tab-sign.ts";
import { PaletteHost } from "../palette/palette-host.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { rooms } from "./rooms.ts";
import styles from "./shell.module.css";
import { ThemeSwitch } from "./theme-switch.tsx";
import { words } from "./words.ts";

/** The rail with the rooms, or the bar at the bottom of a phone. */
function Rail() {
  return (
    <nav className={styles.rail} aria-label={words.navigation}>
      <div className={styles.brand} aria-hidden="true">
        <img src="/favicon.svg" alt="" width={24} height={24} />
        <span className={styles.brandName}>Vedette</span>
      </div>
      <ul className={styles.rooms}>
        {rooms.map(({ to, label, Icon }) => (
          <li key={to}>
            <Link
              to={to}
              className={styles.room}
              activeProps={{ "aria-current": "page" }}
              activeOptions={{ exact: to === "/" }}
            >
              <Icon size={20} />
              <span className={styles.label}>{label}</span>
            </Link>
          </li>
        ))}
        <li>
          <PaletteHost buttonClass={styles.room} labelClass={styles.label} />
        </li>
      </ul>
      <div className={styles.foot}>
        <ThemeSwitch buttonClass={styles.room} labelClass={styles.label} />
      </div>
      <AccountMenu />
    </nav>
  );
}

/** What every screen of a signed-in person stands in. */
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
    </div>
  );
}
