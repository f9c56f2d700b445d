import { createLazyRoute, Link, Outlet, useLocation } from "@tanstack/react-router";
import { useId } from "react";
import { contactWords } from "../alerts/index.ts";
import { type Access, mayDo, useSession } from "../api/session.ts";
import { clientCertificateWords as certificates } from "../client-certificates/index.ts";
import buttonStyles from "../parts/buttons.module.css";
import { ChevronIcon } from "../parts/icons.tsx";
import { variableWords as variables } from "../variables/index.ts";
import { words as imports } from "./import/words.ts";
import {
  backupWords,
  doctorWords,
  runtimeWords,
  serverWords,
  snippetWords,
} from "./installation-words.ts";
import { words as security } from "./security/words.ts";
import styles from "./settings.module.css";
import { deviceWords, words } from "./words.ts";

interface Section {
  readonly to: string;
  readonly label: string;
  readonly needs?: Access;
}

interface Group {
  readonly title: string;
  readonly sections: readonly Section[];
}

/** Sections of the settings, in display order. */
const groups: readonly Group[] = [
  {
    title: words.groups.you,
    sections: [
      { to: "/settings/profile", label: words.profile.title },
      { to: "/settings/security", label: security.title },
      { to: "/settings/devices", label: deviceWords.title },
      { to: "/settings/contact-methods", label: contactWords.title },
    ],
  },
  {
    title: words.groups.account,
    sections: [
      { to: "/settings/members", label: words.members.title },
      { to: "/settings/api-keys", label: words.keys.title },
      { to: "/settings/alerts", label: words.alertSettings.title },
      { to: "/settings/variables", label: variables.title },
      { to: "/settings/snippets", label: snippetWords.title },
      { to: "/settings/client-certificates", label: certificates.title },
      { to: "/settings/import", label: imports.title },
      { to: "/settings/audit", label: words.audit.title, needs: "admin" },
      { to: "/settings/agent", label: words.agent.title },
    ],
  },
  {
    title: words.groups.server,
    sections: [
      { to: "/settings/servers", label: serverWords.title },
      { to: "/settings/runtimes", label: runtimeWords.title },
      { to: "/settings/backups", label: backupWords.title, needs: "admin" },
      { to: "/settings/doctor", label: doctorWords.title, needs: "admin" },
      { to: "/settings/about", label: words.about.title },
    ],
  },
];

function GroupPart({ title, sections }: Group) {
  const { role } = useSession();
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={styles.groupTitle}>
        {title}
      </h2>
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
    </section>
  );
}

/** Shows the list of sections beside the open section, or as a separate page on a phone. */
function SettingsScreen() {
  const { pathname } = useLocation();
  const isList = /^\/settings\/?$/.test(pathname);
  // Beside an open section, the heading of the section is the only first-level heading.
  const Title = isList ? "h1" : "p";
  return (
    <div className={styles.settings} data-list={isList}>
      <nav className={styles.side} aria-label={words.sections}>
        <Title className={styles.sideTitle}>{words.title}</Title>
        {groups.map((group) => (
          <GroupPart key={group.title} {...group} />
        ))}
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
