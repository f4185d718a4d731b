import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  resolve: { alias: { vscode: fileURLToPath(new URL("fake/vscode.ts", import.meta.url)) } },
  test: { include: ["test/**/*.test.ts"], testTimeout: 20_000 },
});
