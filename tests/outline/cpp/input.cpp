#pragma once
#include <vector>

namespace app::detail {

template <typename T, int N = (3 > 2)>
class Queue final : public Base<T>, private Other {
public:
    Queue() = default;
    explicit Queue(int n) : Base<T>(n), items_{n}, size_(0) {
        init();
    }
    virtual ~Queue();

    /// Adds one.
    void push(const T& value) override { items_.push_back(value); }
    T& operator[](std::size_t i);
    bool operator()(int a) const noexcept
    {
        return a > 0;
    }

private:
    std::vector<T> items_;
    struct Node {
        int x;
    };
};

enum class Color : int {
    Red,
};

using Names = std::vector<std::string>;
using namespace std;

template <>
Queue<int>::~Queue() {
    const char* raw = R"x(a } " )" {)x";
    auto f = [&](int x) { return x; };
    long big = 1'000'000;
}

int Queue<int>::count = 0;

extern "C" {
int plain(int a);
}

}  // namespace app::detail

TEST(QueueTest, Pushes) {
    EXPECT_EQ(1, 1);
}

template <class A>
auto add(A a, A b) -> decltype(a + b) {
    return a + b;
}
