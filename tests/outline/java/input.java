package org.example.store;

import java.util.List;
import static java.util.Map.of;

/**
 * A store.
 */
@Service("store")
@SuppressWarnings({"unchecked", "raw"})
public abstract class Store<T extends Comparable<T>> extends Base implements Closeable {
    private static final String BRACE = "}{";
    private final List<String> names = new ArrayList<>() {
        @Override
        public boolean add(String s) {
            return false;
        }
    };
    protected int a, b;
    char quote = '"';
    int[] sizes[] = {{1}, {2}};

    static {
        System.out.println("loaded");
    }

    public Store(String name) {
        this.name = name;
    }

    /** Finds it. */
    @Nullable
    public <R> Map<String, List<R>> find(
            @NotNull final String key,
            Function<T, R> f) throws IOException, NotFound {
        if (key == null) {
            throw new IllegalArgumentException("no { key");
        }
        Runnable r = () -> {
            run();
        };
        return null;
    }

    abstract void run();

    @Override public String toString() { return """
        text } block
        """; }

    enum State implements Named {
        OPEN("open") {
            @Override
            int code() { return 1; }
        },
        CLOSED("closed");

        private final String label;

        State(String label) {
            this.label = label;
        }
    }

    interface Visitor {
        void visit(Store<?> s);
        default int depth() {
            return 0;
        }
    }
}

record Point(int x, int y) {
    Point {
        check(x);
    }
}

@interface Marker {
    String value() default "";
}
