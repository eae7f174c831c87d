package org.example

import kotlin.math.max

const val LIMIT = 10

/** A point. */
@Serializable
data class Point(val x: Int, val y: Int = 0)

sealed interface Shape {
    val area: Double
    fun scale(by: Double): Shape
}

class Store<T : Any>(
    private val items: List<T>,
) : Base(), Closeable {
    var size: Int = 0
        private set

    init {
        require(items.isNotEmpty()) { "empty }" }
    }

    val lazyThing by lazy {
        compute()
    }

    override suspend fun close() {
        """raw } ${items.map { it }} """.trim()
    }

    fun <R> map(f: (T) -> R): List<R> = items.map(f)

    companion object {
        fun of(): Store<Int> = Store(listOf(1))
    }
}

fun String.shout(): String = uppercase()

fun main(args: Array<String>) {
    println(max(1, 2))
}
