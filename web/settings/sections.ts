import type { Access } from "../api/session.ts";
import { clientCertificateWords as certificates } from "../client-certificates/index.ts";
import { variableWords as variables } from "../variables/index.ts";
import { words as backups } from "./backups-words.ts";
import { words as devices } from "./devices-words.ts";
import { words as doctor } from "./doctor-words.ts";
import { words as imports } from "./import/words.ts";
import { words as security } from "./security/words.ts";
import { words as servers } from "./servers-words.ts";
import { words } from "./words.ts";

export interface Section {
  readonly to: string;
  readonly label: string;
  readonly needs?: Access;
}

/** Sections of the settings, in display order. */
export const sections: readonly Section[] = [
  { to: "/settings/profile", label: words.profile.title },
  { to: "/settings/security", label: security.title },
  { to: "/settings/devices", label: devices.title },
  { to: "/settings/api-keys", label: words.keys.title },
  { to: "/settings/members", label: words.members.title },
  { to: "/settings/variables", label: variables.title },
  { to: "/settings/client-certificates", label: certificates.title },
  { to: "/settings/import", label: imports.title },
  { to: "/settings/audit", label: words.audit.title, needs: "admin" },
  { to: "/settings/alerts", label: words.alertSettings.title },
  { to: "/settings/agent", label: words.agent.title },
  { to: "/settings/servers", label: servers.title },
  { to: "/settings/backups", label: backups.title, needs: "admin" },
  { to: "/settings/doctor", label: doctor.title, needs: "admin" },
  { to: "/settings/about", label: words.about.title },
];
