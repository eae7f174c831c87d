# `nix run 'git+file:.?dir=.ci/packages' -- --help`, in a clone; or with the repository's address in place of `git+file:.`.
{
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { nixpkgs, ... }:
    let
      root = ../..;
      about = (builtins.fromTOML (builtins.readFile (root + "/Cargo.toml"))).package;
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      tersed =
        pkgs:
        pkgs.rustPlatform.buildRustPackage {
          pname = about.name;
          version = about.version;
          src = root;
          cargoLock.lockFile = root + "/Cargo.lock";
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The quick set; the others need programs and places that a build of Nix does not have.
          cargoTestFlags = [ "--lib" ];
          postInstall = pkgs.lib.optionalString (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
            $out/bin/tersed man --dir man
            installManPage man/*
            installShellCompletion --cmd tersed \
              --bash <($out/bin/tersed completions bash) \
              --zsh <($out/bin/tersed completions zsh) \
              --fish <($out/bin/tersed completions fish)
          '';
          meta = {
            description = about.description;
            homepage = about.repository;
            license = with pkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = "tersed";
          };
        };
    in
    {
      packages = each (pkgs: {
        default = tersed pkgs;
      });
    };
}
