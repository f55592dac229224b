import { z } from 'zod';

const text = z.string().min(1);
const id = z.string().regex(/^[\w-]+$/);
const validations = z.strictObject({ required: z.boolean() }).optional();
const field = { label: text, description: text.optional() };
const typed = { ...field, placeholder: text.optional(), value: text.optional() };
const isUnique = (values: readonly unknown[]) => new Set(values).size === values.length;

/** One element of an issue form. https://docs.github.com/communities, "Syntax for GitHub's form schema". */
const formElement = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: text }) }),
  z.strictObject({ type: z.literal('input'), id, attributes: z.strictObject(typed), validations }),
  z.strictObject({
    type: z.literal('textarea'),
    id,
    attributes: z.strictObject({ ...typed, render: text.optional() }),
    validations,
  }),
  z.strictObject({
    type: z.literal('dropdown'),
    id,
    attributes: z.strictObject({
      ...field,
      multiple: z.boolean().optional(),
      // GitHub rejects forms with repeated options, and "None" is reserved for optional dropdowns.
      options: z
        .array(text.regex(/^(?!none$)/i))
        .min(1)
        .refine(isUnique, 'repeated options'),
      default: z.int().optional(),
    }),
    validations,
  }),
  z.strictObject({
    type: z.literal('checkboxes'),
    id,
    attributes: z.strictObject({
      ...field,
      options: z.array(z.strictObject({ label: text, required: z.boolean().optional() })).min(1),
    }),
    validations,
  }),
]);

/** A file in `.github/ISSUE_TEMPLATE`, except `config.yml`. */
export const issueForm = z.strictObject({
  name: text,
  description: text,
  title: text.optional(),
  labels: z.array(text).optional(),
  body: z
    .array(formElement)
    .refine((body) => body.some(({ type }) => type !== 'markdown'), 'only markdown')
    .refine((body) => isUnique(body.flatMap((one) => ('id' in one ? [one.id] : []))), 'repeated ids')
    .refine((body) => isUnique(body.flatMap((one) => ('label' in one.attributes ? [one.attributes.label] : [])))),
});

/** The file `.github/ISSUE_TEMPLATE/config.yml`. */
export const issueChooser = z.strictObject({
  blank_issues_enabled: z.boolean(),
  contact_links: z.array(z.strictObject({ name: text, about: text.max(200), url: z.url({ protocol: /^https$/ }) })),
});

const updateType = z.enum(['major', 'minor', 'patch']);
const patterns = z.array(text).min(1);

const update = z
  .strictObject({
    'package-ecosystem': z.enum(['npm', 'github-actions']),
    directory: z.string().startsWith('/').optional(),
    directories: z.array(z.string().startsWith('/')).optional(),
    schedule: z.strictObject({ interval: z.enum(['daily', 'weekly', 'monthly', 'quarterly']) }),
    cooldown: z.strictObject({ 'default-days': z.int().min(1).max(90) }).optional(),
    'commit-message': z.strictObject({ prefix: text.max(50) }).optional(),
    ignore: z
      .array(
        z.strictObject({
          'dependency-name': text,
          'update-types': z.array(z.enum(['version-update:semver-major', 'version-update:semver-minor'])),
        }),
      )
      .optional(),
    groups: z.record(
      id,
      z.strictObject({
        patterns,
        'exclude-patterns': patterns.optional(),
        'update-types': z.array(updateType).optional(),
      }),
    ),
  })
  .refine((one) => (one.directory === undefined) !== (one.directories === undefined), 'directory or directories');

/** The file `.github/dependabot.yml`. */
export const dependabot = z.strictObject({ version: z.literal(2), updates: z.array(update).min(1) });

/** The file `.devcontainer/devcontainer.json` for a container from Compose files. https://containers.dev */
export const devContainer = z.strictObject({
  name: text,
  dockerComposeFile: z.array(text).min(1),
  service: id,
  workspaceFolder: z.string().startsWith('/'),
  remoteUser: text,
  forwardPorts: z.array(z.int().positive()),
  postCreateCommand: text,
  customizations: z.strictObject({ vscode: z.strictObject({ extensions: z.array(z.string().includes('.')) }) }),
});

const composeService = z.strictObject({
  image: z.string().regex(/:[\w.-]+$/, 'no version'),
  command: text.optional(),
  init: z.boolean().optional(),
  environment: z.record(z.string(), z.string()).optional(),
  ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+:\d+$/, 'not on the loopback interface')).optional(),
  tmpfs: z.array(z.string().startsWith('/')).optional(),
  volumes: z.array(z.string().regex(/^\.:\/[\w./-]+$/)).optional(),
  healthcheck: z
    .strictObject({ test: text, interval: z.string().regex(/^\d+s$/), retries: z.int().positive() })
    .optional(),
  depends_on: z.record(id, z.strictObject({ condition: z.literal('service_healthy') })).optional(),
});

/** A Compose file. https://github.com/compose-spec/compose-spec */
export const compose = z.strictObject({ name: id.optional(), services: z.record(id, composeService) });
