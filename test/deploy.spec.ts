import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { parseYamlDocuments } from './support/project-files/project-file-parsers.js';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const GUIDE = read('docs/guides/docker-and-kubernetes.md');
const MONITORING = read('docs/guides/monitoring.md');

const text = z.string().min(1);
const name = z.string().regex(/^[a-z][a-z0-9-]*$/);
const labels = z.record(text, text);
const metadata = z.strictObject({ name, labels: labels.optional() });

// The fields of Kubernetes that the manifests use. A misspelled field is rejected, which the API server would ignore.
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string().startsWith('/'), port: text }),
  periodSeconds: z.int().positive().optional(),
  timeoutSeconds: z.int().positive().optional(),
  failureThreshold: z.int().positive().optional(),
});
const container = z.strictObject({
  name,
  image: z.string().regex(/:\d+\.\d+\.\d+$/, 'no version'),
  command: z.array(text).optional(),
  ports: z.array(z.strictObject({ name, containerPort: z.int().positive() })).optional(),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name }) })),
  lifecycle: z
    .strictObject({ preStop: z.strictObject({ exec: z.strictObject({ command: z.array(text) }) }) })
    .optional(),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  resources: z
    .strictObject({ requests: z.record(z.enum(['cpu', 'memory']), text), limits: z.strictObject({ memory: text }) })
    .optional(),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
});
const podSpec = z.strictObject({
  automountServiceAccountToken: z.literal(false),
  terminationGracePeriodSeconds: z.int().positive().optional(),
  restartPolicy: z.literal('Never').optional(),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.int().positive(),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  containers: z.array(container).length(1),
});
const podTemplate = z.strictObject({ metadata: z.strictObject({ labels }).optional(), spec: podSpec });
const jobSpec = z.strictObject({
  backoffLimit: z.int().min(0),
  ttlSecondsAfterFinished: z.int().positive().optional(),
  activeDeadlineSeconds: z.int().positive().optional(),
  template: podTemplate,
});
const selector = z.strictObject({ matchLabels: labels });
const limit = z.int().min(0).optional();

const manifest = z.discriminatedUnion('kind', [
  z.strictObject({
    apiVersion: z.literal('apps/v1'),
    kind: z.literal('Deployment'),
    metadata,
    spec: z.strictObject({
      replicas: z.int().positive(),
      strategy: z.strictObject({ rollingUpdate: z.strictObject({ maxUnavailable: limit, maxSurge: limit }) }),
      selector,
      template: podTemplate,
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Service'),
    metadata,
    spec: z.strictObject({
      selector: labels,
      ports: z.array(z.strictObject({ name, port: z.int().positive(), targetPort: text })),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('policy/v1'),
    kind: z.literal('PodDisruptionBudget'),
    metadata,
    spec: z.strictObject({ maxUnavailable: limit, selector }),
  }),
  z.strictObject({ apiVersion: z.literal('batch/v1'), kind: z.literal('Job'), metadata, spec: jobSpec }),
]);
type Manifest = z.infer<typeof manifest>;

function podOf(one: Manifest): z.infer<typeof podSpec> | undefined {
  return 'template' in one.spec ? one.spec.template.spec : undefined;
}

const FOLDER = 'deploy/kubernetes';
const documents = readdirSync(join(root, FOLDER)).flatMap((file) => parseYamlDocuments(read(`${FOLDER}/${file}`)));

describe('the Kubernetes manifests', () => {
  it.each(documents.map((one) => [(one as Manifest).kind, one] as const))('contain a valid %s', (_kind, one) => {
    const { error } = manifest.safeParse(one);
    expect(error && z.prettifyError(error)).toBeUndefined();
  });

  const manifests = documents as Manifest[];
  const containers = manifests.flatMap((one) => podOf(one)?.containers ?? []);
  const deployment = manifests.find((one) => one.kind === 'Deployment')!;

  it('use one image and one secret', () => {
    expect(containers).toHaveLength(2);
    expect(new Set(containers.map(({ image }) => image)).size).toBe(1);
    expect(new Set(containers.flatMap(({ envFrom }) => envFrom.map((one) => one.secretRef.name)))).toEqual(
      new Set([/kubectl create secret generic ([\w-]+)/.exec(GUIDE)![1]]),
    );
  });

  it('select the pods of the deployment by their labels', () => {
    const { selector: selects, template } = deployment.spec;
    const given = Object.entries(template.metadata!.labels ?? {});
    const service = manifests.find((one) => one.kind === 'Service')!;
    const budget = manifests.find((one) => one.kind === 'PodDisruptionBudget')!;
    for (const wanted of [selects.matchLabels, service.spec.selector, budget.spec.selector.matchLabels])
      expect(given).toEqual(expect.arrayContaining(Object.entries(wanted)));
  });

  it('call the health routes of the guide at a port of the container', () => {
    const [server] = deployment.spec.template.spec.containers;
    const { startupProbe, livenessProbe, readinessProbe, ports } = server!;
    const probes = [startupProbe, livenessProbe, readinessProbe];
    expect(probes.map((one) => one?.httpGet.path)).toEqual(['/health/live', '/health/live', '/health/ready']);
    for (const { httpGet } of [livenessProbe!, readinessProbe!]) expect(GUIDE).toContain(`\`${httpGet.path}\``);
    for (const one of probes) expect(ports!.map((port) => port.name)).toContain(one!.httpGet.port);
  });
});

describe('the Compose file', () => {
  const service = z.strictObject({
    image: text,
    build: z.strictObject({ context: z.literal('..'), dockerfile: z.literal('deploy/Dockerfile') }).optional(),
    restart: text,
    read_only: z.literal(true).optional(),
    cap_drop: z.tuple([z.literal('ALL')]).optional(),
    security_opt: z.array(text).optional(),
    environment: z.record(text, text),
    command: z.array(text).optional(),
    ports: z.array(z.string().startsWith('127.0.0.1:')).optional(),
    stop_grace_period: text.optional(),
    volumes: z.array(text).optional(),
    depends_on: z
      .record(name, z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }))
      .optional(),
    healthcheck: z
      .strictObject({
        test: z.union([text, z.tuple([z.literal('CMD')], text)]),
        interval: text,
        timeout: text.optional(),
        retries: z.int(),
        start_period: text.optional(),
      })
      .optional(),
  });
  const compose = z.strictObject({
    name,
    'x-server': z.unknown(),
    services: z.record(name, service),
    volumes: z.record(name, z.null()),
  });

  it('is valid, and names services and volumes that exist', () => {
    const parsed = compose.safeParse(parseYamlDocuments(read('deploy/compose.yaml'))[0]);
    expect(parsed.error && z.prettifyError(parsed.error)).toBeUndefined();
    const { services, volumes } = parsed.data!;
    const needed = Object.values(services).flatMap(({ depends_on: one = {} }) => Object.keys(one));
    expect(Object.keys(services)).toEqual(expect.arrayContaining(needed));
    expect(services['postgres']!.volumes!.map((one) => one.split(':')[0])).toEqual(Object.keys(volumes));
    expect(services['server']!.healthcheck!.test[3]).toContain('/health/ready');
  });

  it('reads only variables that the guide writes to .env', () => {
    const used = [...read('deploy/compose.yaml').matchAll(/\$\{(\w+):\?\}/g)].map(([, one]) => one!);
    const written = [...GUIDE.matchAll(/([A-Z0-9_]+)=(?:%s|https)/g)].map(([, one]) => one!);
    expect(new Set(used)).toEqual(new Set(written));
  });
});

describe('the Dockerfile', () => {
  const stages = read('deploy/Dockerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .join('\n')
    .split(/^(?=FROM )/m);

  it('runs Node.js as the user node, with a supported version and without development packages', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    expect(engines.node).toBe('^20.19.0 || >=22.12.0');
    expect(stages).toHaveLength(3);
    const [build, packages, last] = stages as [string, string, string];
    expect(build).toMatch(/^RUN npm ci$/m);
    expect(packages).toMatch(/npm prune --omit=dev$/m);
    expect(last).toMatch(/^FROM node:22-/);
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^CMD \["node", "dist\/main\.js"\]$/m);
  });

  it('copies only files of the stage without development packages into the image', () => {
    const copied = [...stages[2]!.matchAll(/^(COPY|ADD) (.*)$/gm)];
    expect(copied.map(([, , from]) => from)).toEqual([
      '--from=packages /app/package.json ./',
      '--from=packages /app/node_modules ./node_modules',
      '--from=packages /app/dist ./dist',
    ]);
  });
});

describe('the dashboard and the alert rules', () => {
  const dashboard = z
    .object({ title: text, schemaVersion: z.int(), panels: z.array(panelSchema()).min(1) })
    .parse(JSON.parse(read('deploy/grafana-dashboard.json')));
  const rules = z
    .strictObject({
      groups: z.tuple([
        z.strictObject({
          name,
          rules: z.array(
            z.strictObject({
              alert: z.string().regex(/^OAuth2\w+$/),
              expr: text,
              for: z
                .string()
                .regex(/^\d+[mh]$/)
                .optional(),
              labels: z.strictObject({ severity: z.enum(['warning', 'critical']) }),
              annotations: z.strictObject({ summary: text, description: text }),
            }),
          ),
        }),
      ]),
    })
    .parse(parseYamlDocuments(read('deploy/prometheus-alerts.yaml'))[0]).groups[0].rules;
  const expressions = [
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...rules.map(({ expr }) => expr),
  ];

  const instruments = read('lib/opentelemetry/instruments.ts');
  const attributes = instruments + read('lib/opentelemetry/telemetry.ts');
  const underscored = (dotted: string) => dotted.replaceAll('.', '_');
  const named = (pattern: RegExp, source: string) => [...source.matchAll(pattern)].map(([, one]) => one!);

  it('use only metrics that telemetry() records', () => {
    const histograms = named(/createHistogram\('([\w.]+)'/g, instruments).map(underscored);
    const counters = named(/createCounter\('([\w.]+)'/g, instruments).map(underscored);
    const known = [
      ...histograms.flatMap((one) => [`${one}_bucket`, `${one}_count`, `${one}_sum`]),
      ...counters.map((one) => `${one}_total`),
    ];
    const used = expressions.flatMap((expression) => named(/\b(oauth2_\w+)(?=[{[])/g, expression));
    expect(used.length).toBeGreaterThanOrEqual(expressions.length);
    expect(used.filter((one) => !known.includes(one))).toEqual([]);
  });

  it('use only labels and values that telemetry() records', () => {
    const known = named(/'((?:oauth2|error)\.[\w.]+)'/g, attributes).map(underscored);
    const grouped = expressions.flatMap((one) => named(/by \(([^)]*)\)/g, one).flatMap((list) => list.split(/, */)));
    const matchers = [...expressions.join('\n').matchAll(/(\w+)=~?"([^"]*)"/g)];
    const used = [...grouped, ...matchers.map(([, label]) => label!)].filter((label) => label !== 'le');
    expect(used.filter((label) => !known.includes(label))).toEqual([]);

    const events = named(/^ {2}'(\w+\.\w+)': 0,$/gm, read('lib/events/catalog.ts'));
    const values = (label: string) =>
      matchers.filter(([, one]) => one === label).flatMap(([, , value]) => value!.split('|'));
    expect(events.length).toBeGreaterThan(20);
    expect(values('oauth2_event').filter((value) => !events.includes(value))).toEqual([]);
    expect(values('oauth2_outcome').filter((value) => !['ok', 'refused', 'fault'].includes(value))).toEqual([]);
  });

  it('are described by docs/guides/monitoring.md with the same expressions', () => {
    const described = [...MONITORING.matchAll(/^\| `(OAuth2\w+)` +\| `(.+?)` +\| /gm)].map(([, alert, expr]) => ({
      alert,
      expr: expr!.replaceAll(String.raw`\|`, '|'),
    }));
    expect(described).toEqual(rules.map(({ alert, expr }) => ({ alert, expr })));
  });
});

function panelSchema() {
  return z.object({
    id: z.int(),
    type: z.literal('timeseries'),
    title: text,
    gridPos: z.strictObject({ h: z.int(), w: z.int().max(24), x: z.int(), y: z.int() }),
    targets: z.array(z.object({ refId: z.string().regex(/^[A-Z]$/), expr: text, legendFormat: text })).min(1),
  });
}
