/** `npm run api-types` writes the API types for the web application. */
import { writeFile } from "node:fs/promises";
import { writeApiDocument } from "./api-document.ts";
import { apiTypesFile, writeApiTypes } from "./api-types.ts";

const { document } = await writeApiDocument();
await writeFile(apiTypesFile, await writeApiTypes(document));
process.exit();
