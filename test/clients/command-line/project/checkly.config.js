const { defineConfig } = require("checkly");

module.exports = defineConfig({
  projectName: "Sample",
  logicalId: "sample-project",
  repoUrl: "https://example.test/sample.git",
  checks: { checkMatch: "checks/*.check.js", locations: ["eu-west-1"] },
});
