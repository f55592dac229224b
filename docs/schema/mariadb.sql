CREATE TABLE `oauth_clients` (
  `id` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NOT NULL,
  `secret_hashes` text CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NOT NULL,
  `metadata` text CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NULL,
  `generation` integer NOT NULL,
  `created_at` bigint NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `oauth_grants` (
  `id` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NOT NULL,
  `client_id` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NOT NULL,
  `user_id` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NULL,
  `kind` varchar(16) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NOT NULL,
  `issuer` text CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NULL,
  `scope` text CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NULL,
  `data` text CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NULL,
  `created_at` bigint NOT NULL,
  `last_used_at` bigint NULL,
  `expires_at` bigint NOT NULL,
  `expires_on` integer NOT NULL,
  `client_generation` integer NOT NULL,
  `revoked_at` bigint NULL,
  INDEX `IDX_6ecbdf63cddde0c049e4714439` (`user_id`, `kind`, `revoked_at`),
  INDEX `IDX_5a04c7dc40dc4d203a1affb342` (`client_id`, `client_generation`),
  INDEX `IDX_6bf8760ea83c2222afec8612c3` (`expires_on`),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `oauth_tokens` (
  `digest` varchar(43) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NOT NULL,
  `kind` varchar(16) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NOT NULL,
  `grant_id` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NOT NULL,
  `client_id` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NOT NULL,
  `user_id` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NULL,
  `issuer` text CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NULL,
  `scope` text CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NULL,
  `data` text CHARACTER SET "utf8mb4" COLLATE "utf8mb4_nopad_bin" NULL,
  `expires_at` bigint NOT NULL,
  `revoked_at` bigint NULL,
  INDEX `IDX_0dc2957a47ec8c4830ee913a2d` (`expires_at`),
  INDEX `IDX_07c605221e8078326fa6e0da8f` (`grant_id`),
  PRIMARY KEY (`digest`, `kind`)
) ENGINE=InnoDB;
