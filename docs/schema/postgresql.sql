CREATE TABLE "oauth_clients" (
  "id" varchar(255) NOT NULL,
  "secret_hashes" text NOT NULL,
  "metadata" text,
  "generation" integer NOT NULL,
  "created_at" bigint NOT NULL,
  CONSTRAINT "PK_c4759172d3431bae6f04e678e0d" PRIMARY KEY ("id")
);

CREATE TABLE "oauth_grants" (
  "id" varchar(255) NOT NULL,
  "client_id" varchar(255) NOT NULL,
  "user_id" varchar(255),
  "kind" varchar(16) NOT NULL,
  "issuer" text,
  "scope" text,
  "data" text,
  "created_at" bigint NOT NULL,
  "last_used_at" bigint,
  "expires_at" bigint NOT NULL,
  "expires_on" integer NOT NULL,
  "client_generation" integer NOT NULL,
  "revoked_at" bigint,
  CONSTRAINT "PK_197229704270fa696b539aa1a22" PRIMARY KEY ("id")
);

CREATE INDEX "IDX_6ecbdf63cddde0c049e4714439" ON "oauth_grants"  ("user_id", "kind", "revoked_at");

CREATE INDEX "IDX_5a04c7dc40dc4d203a1affb342" ON "oauth_grants"  ("client_id", "client_generation");

CREATE INDEX "IDX_6bf8760ea83c2222afec8612c3" ON "oauth_grants"  ("expires_on");

CREATE TABLE "oauth_tokens" (
  "digest" varchar(43) NOT NULL,
  "kind" varchar(16) NOT NULL,
  "grant_id" varchar(255) NOT NULL,
  "client_id" varchar(255) NOT NULL,
  "user_id" varchar(255),
  "issuer" text,
  "scope" text,
  "data" text,
  "expires_at" bigint NOT NULL,
  "revoked_at" bigint,
  CONSTRAINT "PK_0d49984d1598af17aec7e9263ad" PRIMARY KEY ("digest", "kind")
);

CREATE INDEX "IDX_0dc2957a47ec8c4830ee913a2d" ON "oauth_tokens"  ("expires_at");

CREATE INDEX "IDX_07c605221e8078326fa6e0da8f" ON "oauth_tokens"  ("grant_id");
