// Headless Chromium, controlled by the DevTools protocol over a pipe.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export class Browser {
  // Faults of a page: console errors, exceptions, requests.
  complaints = [];
  #waiting = new Map();
  #next = 0;
  #session;

  static async start() {
    const browser = new Browser();
    const base = process.env.TEST_TMPDIR ?? tmpdir();
    browser.profile = mkdtempSync(path.join(base, "chromium-"));
    browser.process = spawn(
      "chromium",
      [
        ...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        ...["--hide-scrollbars", "--remote-debugging-pipe", `--user-data-dir=${browser.profile}`],
        "about:blank",
      ],
      {
        stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
        env: { ...process.env, HOME: base },
      },
    );
    browser.#listen();
    const { targetId } = await browser.send("Target.createTarget", {
      url: "about:blank",
    });
    const attached = await browser.send("Target.attachToTarget", {
      targetId,
      flatten: true,
    });
    browser.#session = attached.sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network", "DOM"]) {
      await browser.send(`${domain}.enable`);
    }
    return browser;
  }

  #listen() {
    let text = "";
    this.process.stdio[4].setEncoding("utf8");
    this.process.stdio[4].on("data", (data) => {
      text += data;
      for (let end; (end = text.indexOf("\0")) >= 0; text = text.slice(end + 1)) {
        this.#take(JSON.parse(text.slice(0, end)));
      }
    });
  }

  #take({ id, result, error, method, params }) {
    if (id !== undefined) {
      const [yes, no] = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) no(new Error(error.message));
      else yes(result);
    } else if (method === "Log.entryAdded" && params.entry.level !== "verbose") {
      this.complaints.push(`console: ${params.entry.text}`);
    } else if (method === "Runtime.consoleAPICalled" && params.type !== "debug") {
      this.complaints.push(`console.${params.type}`);
    } else if (method === "Runtime.exceptionThrown") {
      const { text, exception } = params.exceptionDetails;
      this.complaints.push(`exception: ${exception?.description ?? text}`);
    } else if (method === "Network.requestWillBeSent") {
      const { url } = params.request;
      if (!/^(file|blob|data):/.test(url)) this.complaints.push(`request: ${url.slice(0, 200)}`);
    }
  }

  send(method, params = {}) {
    return new Promise((yes, no) => {
      const id = ++this.#next;
      this.#waiting.set(id, [yes, no]);
      const message = { id, method, params, sessionId: this.#session };
      this.process.stdio[3].write(`${JSON.stringify(message)}\0`);
    });
  }

  async open(url) {
    await this.send("Page.navigate", { url });
    await this.waitFor("document.readyState === 'complete'");
  }

  // Returns the value of a JavaScript expression.
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? expression);
    return result.value;
  }

  // Waits until the expression is true. Bazel's timeout ends a test that waits in vain.
  async waitFor(expression) {
    while (!(await this.evaluate(expression).catch(() => false))) {
      await new Promise((go) => setTimeout(go, 20));
    }
  }

  async chooseFiles(selector, files) {
    const { root } = await this.send("DOM.getDocument");
    const { nodeId } = await this.send("DOM.querySelector", {
      nodeId: root.nodeId,
      selector,
    });
    await this.send("DOM.setFileInputFiles", { nodeId, files });
  }

  async size(width, height, mobile = false) {
    const deviceScaleFactor = mobile ? 2 : 1;
    await this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor,
      mobile,
    });
  }

  async theme(value) {
    const features = [{ name: "prefers-color-scheme", value }];
    await this.send("Emulation.setEmulatedMedia", { features });
  }

  async picture() {
    const { data } = await this.send("Page.captureScreenshot", {
      captureBeyondViewport: true,
    });
    return Buffer.from(data, "base64");
  }

  async stop() {
    await this.send("Browser.close").catch(() => {});
    await new Promise((done) => this.process.once("exit", done));
    rmSync(this.profile, { recursive: true, force: true });
  }
}
