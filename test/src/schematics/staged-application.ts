import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmptyTree } from '@angular-devkit/schematics';
import type { Rule, SchematicContext } from '../../../src/schematics/tree.js';

const ROOT_MODULE = `import { Module } from '@nestjs/common';
import { AppController } from './app.controller';

@Module({
  imports: [],
  controllers: [AppController],
})
export class AppModule {}
`;

const MAIN = `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  await app.listen(process.env.PORT ?? 3000);
}
void bootstrap();
`;

const MANIFEST = { name: 'shop', scripts: { start: 'nest start' }, dependencies: { '@nestjs/core': '^11.0.1' } };

/** The files of an application that the schematics engine stages, with the messages and tasks of the schematics. */
export class StagedApplication {
  readonly messages: string[] = [];
  readonly tasks: { name: string; options?: object }[] = [];
  private readonly tree = new EmptyTree();
  private readonly context: SchematicContext = {
    logger: {
      info: (message) => this.messages.push(message),
      warn: (message) => this.messages.push(message),
    },
    addTask: (task) => this.tasks.push(task.toConfiguration()),
  };

  constructor(files: Record<string, string | object | null> = {}) {
    const all = { 'package.json': MANIFEST, 'src/app.module.ts': ROOT_MODULE, 'src/main.ts': MAIN, ...files };
    for (const [path, content] of Object.entries(all)) {
      if (content !== null) this.write(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    }
  }

  async run(rule: Rule): Promise<this> {
    await rule(this.tree, this.context);
    return this;
  }

  /** Writes the files to a new folder next to this file, and returns the folder. */
  async writeToFolder(): Promise<string> {
    const folder = await mkdtemp(join(import.meta.dirname, '.written-'));
    for (const [path, text] of Object.entries(this.files())) {
      // Jest must not find the test in a folder that a killed process has left.
      const file = join(folder, path.replace('.e2e-spec.ts', '.written.ts'));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    return folder;
  }

  read(path: string): string {
    return this.tree.read(path)?.toString('utf8') ?? '';
  }

  json(path: string): Record<string, Record<string, string>> {
    return JSON.parse(this.read(path)) as Record<string, Record<string, string>>;
  }

  write(path: string, content: string): void {
    if (this.tree.exists(path)) this.tree.overwrite(path, content);
    else this.tree.create(path, content);
  }

  /** Returns the texts of all files by their paths. */
  files(): Record<string, string> {
    const found: Record<string, string> = {};
    this.tree.visit((path) => {
      found[path.slice(1)] = this.read(path);
    });
    return found;
  }
}
