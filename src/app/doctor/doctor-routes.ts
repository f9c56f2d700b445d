import { Type } from "typebox";
import type { Clock } from "../../platform/clock.ts";
import { answers, DateTime, Described, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { areas, type Diagnosis, type Look, levels, takeLooks } from "./finding.ts";

const DiagnosisSchema = Type.Object(
  {
    level: Described(OneOf([...levels]), "The worst of all findings."),
    lookedAt: Described(DateTime, "When this was found; at most half a minute ago."),
    findings: Type.Array(
      Type.Object({
        area: Described(OneOf([...areas]), "What it is about."),
        level: Described(
          OneOf([...levels]),
          "`fail`: something does not work; `warn`: something will not, or is risky; `ok`: fine.",
        ),
        sentence: Type.String({
          description: "What was found, for people.",
          examples: ["PostgreSQL 18.4 answers."],
        }),
        fix: Described(OrNull(Type.String()), "What to type or to set; null: nothing.", null),
      }),
      { description: "The worst first." },
    ),
  },
  { title: "Diagnosis" },
);

const keptMs = 30_000;

/** Once in half a minute, however many ask: a look connects to mail, NATS and name servers. */
export function createDoctor(listLooks: () => readonly Look[], clock: Clock) {
  let known: Promise<Diagnosis & { readonly lookedAt: string }> | null = null;
  let lookedAtMs = 0;
  return () => {
    const nowMs = clock.nowMs();
    if (known !== null && nowMs >= lookedAtMs && nowMs - lookedAtMs < keptMs) return known;
    lookedAtMs = nowMs;
    const lookedAt = clock.now().toISOString();
    known = takeLooks(listLooks()).then((diagnosis) => ({ ...diagnosis, lookedAt }));
    return known;
  };
}

export function addDoctorRoutes(
  server: HttpServer,
  examine: ReturnType<typeof createDoctor>,
): void {
  server.get(
    "/v1/doctor",
    {
      config: { access: "admin" },
      schema: {
        tags: ["Service"],
        operationId: "getDiagnosis",
        summary: "Look at everything that the installation needs",
        description:
          "The machine, the database, the network, the backups and the servers, each with what to " +
          "type when it is not well. `vedette doctor` finds the same where no server starts. Holds no secret.",
        response: answers({ 200: DiagnosisSchema }),
      },
    },
    async () => {
      const { level, lookedAt, findings } = await examine();
      return { level, lookedAt, findings: [...findings] };
    },
  );
}
