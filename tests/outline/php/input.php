<html><body>{</body>
<?php
declare(strict_types=1);

namespace App\Http;

use App\Models\{User, Post};

/**
 * Handles it.
 */
#[Route('/x')]
final class Handler extends Base implements Runs
{
    use Helps;

    private const LIMIT = 10;
    protected ?string $name = null;

    public function __construct(private readonly Repo $repo) {}

    # old style
    public static function make(array $a = ['x' => '}']): self
    {
        $f = function () use ($a) {
            return <<<EOT
            } {$a} {
            EOT;
        };
        return new self("runs
        over } lines");
    }

    abstract protected function run(): void;
}

if (!function_exists('helper')) {
    function helper($x) {
        return $x;
    }
}
?>
<p>}</p>
