import { createLazyRoute, Link, Outlet, useLocation } from "@tanstack/react-router";
import { mayDo, useSession } from "../api/session.ts";
import buttonStyles from "../parts/buttons.module.css";
import { ChevronIcon } from "../parts/icons.tsx";
import { sections } from "./sections.ts";
import styles from "./settings.module.css";
import { words } from "./words.ts";

/** The section list stays beside a section; on a phone it is a separate page. */
function SettingsScreen() {
  const { role } = useSession();
  const { pathname } = useLocation();
  const isList = /^\/settings\/?$/.test(pathname);
  return (
    <div className={styles.settings} data-list={isList}>
      <nav className={styles.side} aria-label={words.sections}>
        <h1 className={styles.sideTitle}>{words.title}</h1>
        <ul>
          {sections
            .filter(({ needs }) => needs === undefined || mayDo(role, needs))
            .map(({ to, label }) => (
              <li key={to}>
                <Link
                  to={to}
                  className={`${buttonStyles.option} ${styles.section}`}
                  activeProps={{ "aria-current": "page" }}
                >
                  {label}
                  <span className={styles.chevron}>
                    <ChevronIcon size={16} />
                  </span>
                </Link>
              </li>
            ))}
        </ul>
      </nav>
      <div className={styles.pane}>
        <Link to="/settings" className={styles.back}>
          {words.back}
        </Link>
        <Outlet />
      </div>
    </div>
  );
}

export const route = createLazyRoute("/signed-in/settings")({ component: SettingsScreen });
